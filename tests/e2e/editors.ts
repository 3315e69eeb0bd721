import type { Browser, BrowserContextOptions, Page, TestInfo } from '@playwright/test'
import { expect, listen, type OpenPage, phone, sayWhatIsShown, startProcess, test as visiting } from './visitors.ts'

/**
 * A test whose site lets a cookie say who asks, with `owner()` for a page of someone who may edit, and `approved()` for
 * one of a member of the circle.
 */
export const test = visiting.extend<{ owner: OpenPage; approved: OpenPage }>({
  site: async ({ keep }, use) => use(await keep('editing site', startEditingSite)),
  owner: ({ openPage, site, expectedNoise }, use, testInfo) =>
    openingAs('owner', { openPage, site, expectedNoise }, use, testInfo),
  approved: ({ openPage, site, expectedNoise }, use, testInfo) =>
    openingAs('approved', { openPage, site, expectedNoise }, use, testInfo),
})

/** Such a test on a site of its own, kept under this name: what is done to the site only its tests see. */
export const onOwnSite = (name: string) =>
  test.extend({ site: async ({ keep }, use) => use(await keep(name, startEditingSite)) })

/**
 * A test whose `page` is a phone's that has been here: it finds what was loaded before, and nothing else of what was done.
 * What is done to the site only such tests see.
 */
export const returning = onOwnSite('site of those who return').extend({
  context: async ({ keep, browser, site: baseURL, javaScriptEnabled, extraHTTPHeaders }, use) => {
    const context = await keep(`who returns, with scripts: ${javaScriptEnabled}`, async () => {
      const running = await browser.newContext({
        baseURL,
        javaScriptEnabled,
        reducedMotion: 'reduce',
        viewport: phone,
      })
      return { running, stop: () => running.close() }
    })
    await context.setExtraHTTPHeaders(extraHTTPHeaders ?? {})
    await use(context)
    await context.clearCookies()
  },
  // One page for all: for each new one the browser would begin a process, half a second of a core.
  page: async ({ keep, context, site, expectedNoise, javaScriptEnabled }, use, testInfo) => {
    const page = await keep(`page of who returns, with scripts: ${javaScriptEnabled}`, async () => {
      const running = await context.newPage()
      return { running, stop: () => running.close() }
    })
    await page.setViewportSize(phone)
    const unexpectedNoise = listen(page, site, [...expectedNoise, USUAL])
    await use(page)
    await sayWhatIsShown([page], testInfo)
    for (const event of ['console', 'pageerror', 'request'] as const) page.removeAllListeners(event)
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    if (javaScriptEnabled !== false) await page.evaluate(removeDrafts)
    // Where no script of ours runs, and of the same site: of another one it would be another process.
    await context.setOffline(false)
    await page.goto('/api/health')
    expect(unexpectedNoise()).toEqual([])
  },
})

/** A test whose site shows its edit buttons to visitors, as its owner may. */
export const withEditButtons = test.extend({
  site: async ({ keep }, use) =>
    use(await keep('site with edit buttons', () => startEditingSite({ editButtons: 'shown' }))),
})

/** A site where a cookie says who asks, as a process: its address, and how to stop it. */
export async function startEditingSite({ databaseUrl = '', file = ':memory:', editButtons = '' } = {}) {
  const environment = { DATABASE_URL: databaseUrl, DATABASE_FILE: file, EDIT_BUTTONS: editButtons }
  const { address, stop } = await startProcess('tests/e2e/editing-site.ts', environment, /^(http\S+)$/)
  return { running: address, stop }
}

/** What is refused is answered for in the page itself, and the browser says it once more; what React Router gives up for newer data, it lets be heard. */
const USUAL = /^(?:Failed to load resource|AbortError): /

type Where = { openPage: OpenPage; site: string; expectedNoise: RegExp[] }

async function openingAs(as: string, where: Where, use: (opening: OpenPage) => Promise<void>, testInfo: TestInfo) {
  const { openPage, site, expectedNoise } = where
  const opened: { page: Page; unexpectedNoise: () => string[] }[] = []
  await use(async (options) => {
    const page = await openPage(options)
    await signIn(as, page, site)
    opened.push({ page, unexpectedNoise: listen(page, site, [...expectedNoise, USUAL]) })
    return page
  })
  const pages = opened.map(({ page }) => page)
  await sayWhatIsShown(pages, testInfo)
  for (const page of pages) await page.close()
  for (const { unexpectedNoise } of opened)
    expect(unexpectedNoise(), `what the ${as}'s page complained about`).toEqual([])
}

/** From now on a cookie says to the site that they ask. */
export function signIn(as: string, page: Page, url: string) {
  return page.context().addCookies([{ name: 'as', value: as, url }])
}

/** A page of a site where a cookie says who asks, asked for by them. */
export async function signedIn(as: string, browser: Browser, site: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ baseURL: site, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  await signIn(as, page, site)
  return page
}

/** Removes what a test has left unsaved; runs in the page. */
function removeDrafts() {
  return new Promise<void>((resolve) => {
    const deleting = indexedDB.deleteDatabase('drafts')
    deleting.onsuccess = deleting.onerror = () => resolve()
  })
}
