import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test'

type Kept = { key: string; context: BrowserContext; held: Page }

// Each holds a process of the browser.
const MAX_FREE = 6

/**
 * Contexts of a browser that outlive a test: opening a page in one of them takes half the work, for a page that stays open
 * holds the process that has our scripts, where Chromium is told that one site needs only one (`playwright.config.ts`).
 */
export function openContexts(browser: Browser) {
  const free: Kept[] = []
  return {
    /**
     * A context with these options, and those that Playwright gives each in this test, `usual`; as new, but for what was
     * loaded in it before.
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
    /** Closes what a test opened in a context, and takes away what it left behind. */
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
      // A clock of Playwright's stays in its context for good.
      else await context.close()
      if (free.length > MAX_FREE) await free.shift()?.context.close()
    },
  }
}
