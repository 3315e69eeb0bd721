import type { Browser, BrowserContextOptions, Page, TestInfo } from '@playwright/test'
import { expect, listen, type OpenPage, phone, sayWhatIsShown, startProcess, test as visiting } from './visitors.ts'

/**
 * A test on a site whose visitor is set by a cookie. `owner()` opens a page as an administrator, and `approved()` as an
 * approved member.
 */
export const test = visiting.extend<{ owner: OpenPage; approved: OpenPage }>({
  site: async ({ keep }, use) => use(await keep('editing site', startEditingSite)),
  owner: ({ openPage, site, expectedNoise }, use, testInfo) =>
    openingAs('owner', { openPage, site, expectedNoise }, use, testInfo),
  approved: ({ openPage, site, expectedNoise }, use, testInfo) =>
    openingAs('approved', { openPage, site, expectedNoise }, use, testInfo),
})

/** Returns such a test with its own site. Tests with the same name share the site. */
export const onOwnSite = (name: string) =>
  test.extend({ site: async ({ keep }, use) => use(await keep(name, startEditingSite)) })

/**
 * A test whose `page` is a phone that has visited before: the HTTP cache is full, everything else is reset. Only such
 * tests share this site.
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
  // All tests share one page, because a new page would start a process and cost half a second of CPU time.
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
    // A page without scripts on the same site, so that the browser keeps its process.
    await context.setOffline(false)
    await page.goto('/api/health')
    expect(unexpectedNoise()).toEqual([])
  },
})

/** A test on a site that shows its edit buttons to visitors. */
export const withEditButtons = test.extend({
  site: async ({ keep }, use) =>
    use(await keep('site with edit buttons', () => startEditingSite({ editButtons: 'shown' }))),
})

/** Starts a site whose visitor is set by a cookie. Returns its URL and its stop function. */
export async function startEditingSite({ databaseUrl = '', file = ':memory:', editButtons = '' } = {}) {
  const environment = { DATABASE_URL: databaseUrl, DATABASE_FILE: file, EDIT_BUTTONS: editButtons }
  const { address, stop } = await startProcess('tests/e2e/editing-site.ts', environment, /^(http\S+)$/)
  return { running: address, stop }
}

/** Errors that pages show themselves, but the browser also logs: rejected forms and aborted revalidations. */
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

export function signIn(as: string, page: Page, url: string) {
  return page.context().addCookies([{ name: 'as', value: as, url }])
}

/** Opens a page in a new context, signed in by cookie. */
export async function signedIn(as: string, browser: Browser, site: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ baseURL: site, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  await signIn(as, page, site)
  return page
}

/** Deletes all drafts. Runs in the page. */
function removeDrafts() {
  return new Promise<void>((resolve) => {
    const deleting = indexedDB.deleteDatabase('drafts')
    deleting.onsuccess = deleting.onerror = () => resolve()
  })
}
