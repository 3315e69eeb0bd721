import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test'

type Kept = { key: string; context: BrowserContext; held: Page }

// Each free context keeps a browser process alive.
const MAX_FREE = 6

/**
 * Creates a pool of browser contexts that outlive a test. Opening a page in a pooled context takes half the time: its
 * held page keeps the process alive that has already loaded the scripts.
 */
export function openContexts(browser: Browser) {
  const free: Kept[] = []
  return {
    /**
     * Returns a pooled or new context with these options. `defaults` are the options that Playwright applies to every
     * context of this test. Only the HTTP cache is not empty.
     */
    async take(options: BrowserContextOptions, usual: unknown): Promise<Kept> {
      const key = JSON.stringify([options, usual])
      const kept = free.find((each) => each.key === key)
      if (kept) {
        free.splice(free.indexOf(kept), 1)
        return kept
      }
      const context = await browser.newContext(options)
      const held = await context.newPage()
      await held.goto('/api/health')
      return { key, context, held }
    },
    /** Closes the pages that a test has opened in a context, and deletes its cookies, storage and databases. */
    async giveBack(kept: Kept) {
      const { context, held } = kept
      if (held.isClosed()) return
      await context.setOffline(false)
      for (const page of context.pages()) if (page !== held) await page.close()
      await context.clearCookies()
      const hasOwnClock = await held.evaluate(async () => {
        localStorage.clear()
        for (const { name = '' } of await indexedDB.databases())
          await new Promise((resolve) => {
            const removal = indexedDB.deleteDatabase(name)
            removal.onsuccess = resolve
            removal.onerror = resolve
          })
        return `${setTimeout}`.includes('[native code]')
      })
      if (hasOwnClock) free.push(kept)
      // A fake clock of Playwright cannot be removed from its context.
      else await context.close()
      if (free.length > MAX_FREE) await free.shift()?.context.close()
    },
  }
}
