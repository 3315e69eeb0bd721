import type { Browser, BrowserContext, BrowserContextOptions, Page, TestInfo } from '@playwright/test'
import {
  test as baseTest,
  expect,
  type OpenPage,
  phone,
  printPagesOnFailure,
  recordErrors,
  startProcess,
} from './visitors.ts'

/**
 * A test on a site whose visitor is set by a cookie. `owner()` opens a page as an administrator, and `approved()` opens
 * a page as an approved member.
 */
export const test = baseTest.extend<{ owner: OpenPage; approved: OpenPage }>({
  site: async ({ startOnce }, use) => use(await startOnce('editing site', startEditingSite)),
  owner: ({ openPage, site, expectedErrors }, use, testInfo) =>
    usePagesAs('owner', { openPage, site, expectedErrors }, use, testInfo),
  approved: ({ openPage, site, expectedErrors }, use, testInfo) =>
    usePagesAs('approved', { openPage, site, expectedErrors }, use, testInfo),
})

/** Returns a variant of `test` with its own site. Calls with the same name share that site. */
export const createTestOnOwnSite = (name: string) =>
  test.extend({ site: async ({ startOnce }, use) => use(await startOnce(name, startEditingSite)) })

/**
 * A test whose `page` is the phone of a returning visitor: the HTTP cache is filled, and all other browser data are
 * deleted. Only the tests for returning visitors share this site.
 */
export const returningTest = createTestOnOwnSite('site of the returning phone').extend({
  context: async ({ startOnce, browser, site: baseURL, javaScriptEnabled, extraHTTPHeaders }, use) => {
    const context = await startOnce(`returning context, JavaScript: ${javaScriptEnabled}`, async () => {
      const service = await browser.newContext({
        baseURL,
        javaScriptEnabled,
        reducedMotion: 'reduce',
        viewport: phone,
      })
      return { service, stop: () => service.close() }
    })
    await context.setExtraHTTPHeaders(extraHTTPHeaders ?? {})
    await use(context)
    await context.clearCookies()
  },
  page: async ({ startOnce, context, site, expectedErrors, javaScriptEnabled }, use, testInfo) =>
    useSharedPage(
      `returning page, JavaScript: ${javaScriptEnabled}`,
      { startOnce, context, site, expectedErrors },
      use,
      testInfo,
      async (page) => {
        await page.evaluate(() => {
          localStorage.clear()
          sessionStorage.clear()
        })
        if (javaScriptEnabled !== false) await page.evaluate(removeDrafts)
        // Opens a page without scripts on the same site, so that the browser keeps its process.
        await page.context().setOffline(false)
        await page.goto('/api/health')
      },
    ),
})

type SharedPageFixtures = {
  startOnce<T>(name: string, start: () => Promise<{ service: T; stop: () => Promise<unknown> }>): Promise<T>
  context: BrowserContext
  site: string
  expectedErrors: RegExp[]
}

/**
 * Runs a test on the page with this name, which all tests of the worker share: a new page would start a process and cost
 * half a second of CPU time. `cleanUp` resets the page after the test.
 */
export async function useSharedPage(
  name: string,
  { startOnce, context, site, expectedErrors }: SharedPageFixtures,
  use: (page: Page) => Promise<void>,
  testInfo: TestInfo,
  cleanUp: (page: Page) => Promise<unknown>,
) {
  const page = await startOnce(name, async () => {
    const service = await context.newPage()
    return { service, stop: () => service.close() }
  })
  await page.setViewportSize(phone)
  const getUnexpectedErrors = recordErrors(page, site, [...expectedErrors, USUAL_ERRORS])
  await use(page)
  await printPagesOnFailure([page], testInfo)
  for (const event of ['console', 'pageerror', 'request'] as const) page.removeAllListeners(event)
  await cleanUp(page)
  expect(getUnexpectedErrors()).toEqual([])
}

/** A test on a site that shows its edit buttons to visitors. */
export const withEditButtons = test.extend({
  site: async ({ startOnce }, use) =>
    use(await startOnce('site with edit buttons', () => startEditingSite({ editButtons: 'shown' }))),
})

/** Starts a site whose visitor is set by a cookie. Returns its URL and its stop function. */
export async function startEditingSite({ databaseUrl = '', file = ':memory:', editButtons = '' } = {}) {
  const environment = { DATABASE_URL: databaseUrl, DATABASE_FILE: file, EDIT_BUTTONS: editButtons }
  const { url, stop } = await startProcess('tests/e2e/editing-site.ts', environment, /^(http\S+)$/)
  return { service: url, stop }
}

/** Errors that the browser logs although the page handles them: rejected forms and aborted revalidations. */
const USUAL_ERRORS = /^(?:Failed to load resource|AbortError): /

type PageSetup = { openPage: OpenPage; site: string; expectedErrors: RegExp[] }

async function usePagesAs(
  visitor: string,
  where: PageSetup,
  use: (opening: OpenPage) => Promise<void>,
  testInfo: TestInfo,
) {
  const { openPage, site, expectedErrors } = where
  const openedPages: { page: Page; getUnexpectedErrors: () => string[] }[] = []
  await use(async (options) => {
    const page = await openPage(options)
    await signIn(visitor, page, site)
    openedPages.push({ page, getUnexpectedErrors: recordErrors(page, site, [...expectedErrors, USUAL_ERRORS]) })
    return page
  })
  const pages = openedPages.map(({ page }) => page)
  await printPagesOnFailure(pages, testInfo)
  for (const page of pages) await page.close()
  for (const { getUnexpectedErrors } of openedPages)
    expect(getUnexpectedErrors(), `unexpected errors of the page of the ${visitor}`).toEqual([])
}

export function signIn(visitor: string, page: Page, url: string) {
  return page.context().addCookies([{ name: 'as', value: visitor, url }])
}

/** Opens a page in a new browser context that is signed in by a cookie. */
export async function openSignedIn(
  visitor: string,
  browser: Browser,
  site: string,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext({ baseURL: site, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  await signIn(visitor, page, site)
  return page
}

/** Deletes all drafts. Runs in the page. */
function removeDrafts() {
  return new Promise<void>((resolve) => {
    const deletion = indexedDB.deleteDatabase('drafts')
    deletion.onsuccess = deletion.onerror = () => resolve()
  })
}
