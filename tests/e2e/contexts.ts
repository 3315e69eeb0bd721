import type { APIRequestContext, Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test'

type PooledContext = { key: string; context: BrowserContext; heldPage: Page }

// Each free context keeps a browser process alive.
const MAX_FREE_CONTEXTS = 6

/**
 * Creates a pool of browser contexts that outlive a test. A page opens twice as fast in a pooled context, because an
 * idle page of the context keeps the browser process alive. This process has already loaded the scripts.
 */
export function createContextPool(browser: Browser) {
  const free: PooledContext[] = []
  return {
    /**
     * Returns a pooled or new context with these options. `defaults` are the options that Playwright applies to every
     * context of this test. A pooled context has a filled HTTP cache, but no cookies and no storage.
     */
    async acquire(options: BrowserContextOptions, defaults: unknown): Promise<PooledContext> {
      const key = JSON.stringify([options, defaults])
      const pooled = free.find((candidate) => candidate.key === key)
      if (pooled) {
        free.splice(free.indexOf(pooled), 1)
        return pooled
      }
      const context = await browser.newContext(options)
      const heldPage = await context.newPage()
      await heldPage.goto('/api/health')
      return { key, context, heldPage }
    },
    /** Closes the pages that a test has opened. Deletes the cookies, storage, databases and service workers. */
    async release(pooled: PooledContext) {
      const { context, heldPage } = pooled
      if (heldPage.isClosed()) return
      await context.setOffline(false)
      for (const page of context.pages()) if (page !== heldPage) await page.close()
      await context.clearCookies()
      const hasOwnClock = await heldPage.evaluate(async () => {
        localStorage.clear()
        for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister()
        for (const { name = '' } of await indexedDB.databases())
          await new Promise((resolve) => {
            const removal = indexedDB.deleteDatabase(name)
            removal.onsuccess = resolve
            removal.onerror = resolve
          })
        return `${setTimeout}`.includes('[native code]')
      })
      if (hasOwnClock) free.push(pooled)
      // A fake clock of Playwright cannot be removed from its context.
      else await context.close()
      if (free.length > MAX_FREE_CONTEXTS) await free.shift()?.context.close()
    },
  }
}

/**
 * Makes an API client send each request over a new connection. Unlike a browser, this client does not send a request
 * again if the site closes the idle connection while the request is in transit.
 */
export function closeConnections(request: APIRequestContext) {
  const send = request.fetch.bind(request)
  request.fetch = (target, options) =>
    send(target, { ...options, headers: { ...options?.headers, connection: 'close' } })
  return request
}
