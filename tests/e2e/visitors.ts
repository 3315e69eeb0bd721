import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  type BrowserContextOptions,
  test as base,
  expect,
  type Locator,
  type Page,
  type Request,
  type TestInfo,
} from '@playwright/test'
import { openDatabase } from '../../db/open.ts'
import { foundByAxe } from '../../scripts/found-by-axe.ts'
import { fillSampleShop } from '../../server/sample-shop.ts'
import { blankSettings } from '../../server/settings.ts'
import { closeConnections, createContextPool } from './contexts.ts'

/** The tested viewports, in CSS pixels. */
export const phone = { width: 390, height: 844 }
export const desktop = { width: 1440, height: 900 }

/** The dark pages, with a film behind their title. */
export const darkPages = [
  '/videoproduction',
  '/municipalarchitect',
  '/webdesignincludebackend',
  '/vbacreate',
  '/socialefficiency',
]

export type OpenPage = (options?: Omit<BrowserContextOptions, 'extraHTTPHeaders'>) => Promise<Page>

type TestFixtures = {
  /** The URL of a running site with the sample shop. No test changes this site. */
  site: string
  /** Patterns of expected errors and foreign requests, as "message URL". */
  expectedErrors: RegExp[]
  /** Opens another page of this site as another visitor. */
  openPage: OpenPage
}
type WorkerFixtures = {
  contexts: ReturnType<typeof createContextPool>
  /** Starts a service once per worker and name. Returns the result of `start`. The service stops with the worker. */
  startOnce<T>(name: string, start: () => Promise<RunningService<T>>): Promise<T>
}
type RunningService<T> = { service: T; stop: () => Promise<unknown> }

let networkCount = 0

/**
 * A test whose `page` visits a running site. The test fails on every error that the browser or the server logs. Specs
 * start further services with `startOnce` in test fixtures, because worker fixtures would start additional workers and
 * browsers.
 */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  startOnce: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the required fixtures from the pattern
    async ({}, use) => {
      const services = new Map<string, Promise<RunningService<unknown>>>()
      await use(async <T>(name: string, start: () => Promise<RunningService<T>>) => {
        const starting = services.get(name) ?? start()
        services.set(name, starting)
        return (await starting).service as T
      })
      await Promise.all([...services.values()].map(async (starting) => (await starting).stop()))
    },
    { scope: 'worker' },
  ],
  browser: [
    async ({ browser }, use) => {
      const newContext = browser.newContext.bind(browser)
      browser.newContext = async (options) => {
        const context = await newContext(options)
        closeConnections(context.request)
        return context
      }
      await use(browser)
    },
    { scope: 'worker' },
  ],
  request: ({ request }, use) => use(closeConnections(request)),
  contexts: [({ browser }, use) => use(createContextPool(browser)), { scope: 'worker' }],
  site: async ({ startOnce }, use) => use((await startOnce('shop', startSite)).url),
  baseURL: ({ site }, use) => use(site),
  // Each test has its own network, so that rate limits do not add up.
  // biome-ignore lint/correctness/noEmptyPattern: as above
  extraHTTPHeaders: async ({}, use) => {
    networkCount += 1
    await use({ 'x-forwarded-for': `2001:db8:0:${networkCount.toString(16)}::1` })
  },
  expectedErrors: [[], { option: true }],
  openPage: async (
    { contexts, site, viewport, extraHTTPHeaders, contextOptions, javaScriptEnabled, hasTouch, timezoneId },
    use,
  ) => {
    const acquired: Awaited<ReturnType<typeof contexts.acquire>>[] = []
    const defaults = { viewport, contextOptions, javaScriptEnabled, hasTouch, timezoneId }
    await use(async (options) => {
      const pooled = await contexts.acquire({ baseURL: site, ...options }, defaults)
      acquired.push(pooled)
      await pooled.context.setExtraHTTPHeaders(extraHTTPHeaders ?? {})
      return pooled.context.newPage()
    })
    for (const pooled of acquired) await contexts.release(pooled)
  },
  context: ({ page }, use) => use(page.context()),
  page: async ({ openPage, site, expectedErrors }, use, testInfo) => {
    const page = await openPage()
    const getUnexpectedErrors = recordErrors(page, site, expectedErrors)
    await use(page)
    await printPagesOnFailure([page], testInfo)
    expect(getUnexpectedErrors(), 'unexpected errors of the page').toEqual([])
  },
})

/** Records errors and foreign requests of a page. Returns a function that lists the unexpected ones. */
export function recordErrors(page: Page, site: string, expectedErrors: RegExp[]) {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => errors.push(`${error.stack || error}`))
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(`${site}/`))
      errors.push(`requested ${request.url()}`)
  })
  return () => errors.filter((line) => !expectedErrors.some((pattern) => pattern.test(line)))
}

/** Lets the site handle the next form of the page, but aborts its response. */
export async function loseFirstResponse(page: Page) {
  let isLost = false
  await page.route(
    ({ pathname }) => pathname.endsWith('.data'),
    async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.fallback()
      isLost = true
      await route.fetch()
      await route.abort('connectionreset')
    },
  )
}

/** Prints the content of the pages if the test has failed. */
export async function printPagesOnFailure(pages: Page[], { status, expectedStatus, title }: TestInfo) {
  if (status === expectedStatus) return
  for (const page of pages) {
    const snapshot = await page.ariaSnapshot().catch(String)
    console.log(`${title}\n${page.url()}\n${snapshot}`)
  }
}

export { expect }

/** Opens a page and waits until every control is interactive, including lazy controls. Returns the response. */
export async function open(page: Page, path: string) {
  const response = await openHydrated(page, path)
  await waitForControls(page)
  return response
}

/** Waits until every link and button of an open page is interactive. Editing controls load in scripts of their own. */
export async function waitForControls(page: Page) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('a, button')].every((control) =>
      Object.keys(control).some((key) => key.startsWith('__reactFiber')),
    ),
  )
}

/** Opens a page and waits for its live stream. */
export async function openWithLiveUpdates(page: Page, path: string) {
  const listening = page.waitForResponse(/\/api\/live/)
  await open(page, path)
  await listening
}

/** Counts the requests of the page to matching URLs, by default of every resource type. */
export function countRequests(page: Page, url: RegExp, type?: string) {
  const requests = { number: 0 }
  page.on('request', (request) => {
    if (url.test(request.url()) && (!type || request.resourceType() === type)) requests.number += 1
  })
  return requests
}

/** Opens a page and waits until its public part is hydrated. Returns the response. */
export async function openHydrated(page: Page, path: string) {
  const response = await page.goto(path)
  await waitForHydration(page)
  return response
}

/**
 * Navigates to another page of the site in the client, without a view transition. Clears the announcements before, and
 * waits until the new page is announced.
 */
export async function navigate(page: Page, path: string) {
  await page.evaluate(async (path) => {
    for (const region of document.querySelectorAll('[data-announcements]')) region.replaceChildren()
    ;(document.activeElement as HTMLElement | null)?.blur()
    await window.__reactRouterDataRouter?.navigate(path)
  }, path)
  await page.waitForFunction(
    () => document.querySelector('[data-announcements] > p:last-child')?.textContent === document.title,
  )
  await expect(page).toHaveURL(path)
}

/** Waits until React Router has taken over the scroll position: the effects have run, so every handler is attached. */
export async function waitForHydration(page: Page) {
  await page.waitForFunction(() => history.scrollRestoration === 'manual')
}

/** Returns the notices with this text, in a page or an element. */
export function getNotice(container: Page | Locator, text: string | RegExp) {
  return container.locator('[data-notice]').filter({ hasText: text })
}

/** Fills in the fields with these labels. */
export async function fillIn(container: Page | Locator, texts: Record<string, string>) {
  for (const [label, text] of Object.entries(texts)) await container.getByLabel(label).fill(text)
}

/** Selects options in the selects with these labels. */
export async function choose(container: Page | Locator, options: Record<string, string | { index: number }>) {
  for (const [label, option] of Object.entries(options)) await container.getByLabel(label).selectOption(option)
}

/** Clicks a button and asserts that a notice with this text appears. */
export async function pressAndRead(container: Page | Locator, name: string | RegExp, text: string | RegExp) {
  await container.getByRole('button', { name }).click()
  await expect(getNotice(container, text)).toBeVisible()
}

/** Presses Enter on a button. Unlike `click`, `press` does not wait until the button responds. */
export async function pressEnter(button: Locator) {
  await expect(button).toBeEnabled()
  await button.press('Enter')
}

/** Disconnects the page and waits until the browser process applies the offline state. */
export async function goOffline(page: Page) {
  await page.context().setOffline(true)
  await expect.poll(() => page.evaluate(isReached)).toBe(false)
}

/** Connects the page again and waits until the browser process applies the state. */
export async function goOnline(page: Page) {
  await page.context().setOffline(false)
  await expect.poll(() => page.evaluate(isReached)).toBe(true)
}

/** Waits until no view transition is active. A `goBack` would skip the transition, which is an error of the page. */
export async function waitForViewTransition(page: Page) {
  await page.waitForFunction(() => !document.documentElement.matches(':active-view-transition'))
}

// Runs in the page.
const isReached = () => fetch('/api/health').then(Boolean, () => false)

/** Delays all matching requests until the returned function is called. */
export async function delayRequests(page: Page, url: RegExp | string, shouldDelay = (_: Request) => true) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (shouldDelay(route.request())) await promise
    await route.continue()
  })
  return resolve
}

declare global {
  var beBusy: () => void
  var beIdle: () => void
}

/**
 * Adds the functions `beBusy` and `beIdle` to the pages that load next. Between these calls, the MessagePort messages
 * with which React schedules its work wait, as in a busy browser.
 */
export function addBusySwitch(page: Page) {
  return page.addInitScript(() => {
    const { postMessage } = MessagePort.prototype
    let delayedSends: (() => void)[] | null = null
    MessagePort.prototype.postMessage = function (...given: unknown[]) {
      const send = () => Reflect.apply(postMessage, this, given)
      delayedSends ? delayedSends.push(send) : send()
    }
    window.beBusy = () => {
      delayedSends ??= []
    }
    window.beIdle = () => {
      const pendingSends = delayedSends ?? []
      delayedSends = null
      for (const send of pendingSends) send()
    }
  })
}

/** Returns the announced sentences of the page or of its open dialog, in order. */
export function getAnnouncements(page: Page) {
  return page.locator('[data-announcements] > p')
}

/** Returns the announcements of exactly this sentence. */
export function getAnnouncement(page: Page, sentence: string) {
  return page.locator('[data-announcements]').getByText(sentence, { exact: true })
}

/** Clears the announcements. Asserts that no sentence has been announced twice since the last call. */
export async function clearAnnouncements(page: Page) {
  const sentences = await page.evaluate(() => {
    const regions = [...document.querySelectorAll('[data-announcements]')]
    const paragraphs = regions.flatMap((region) => [...region.children])
    for (const region of regions) region.replaceChildren()
    return paragraphs.map(({ textContent }) => textContent)
  })
  expect(sentences, 'announcements without repetition').toEqual([...new Set(sentences)])
}

/** Returns the component files under app/ that match the pattern, sorted. For tables that must list every such file. */
export function findComponentFiles(text: RegExp) {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  return files.filter((file) => text.test(readFileSync(`app/${file}`, 'utf8'))).sort()
}

/** Stops the page clock before the page is opened. Afterwards, only `page.clock.runFor` advances the clock. */
export async function stopClock(page: Page) {
  const now = Date.now()
  await page.clock.install({ time: now })
  await page.clock.pauseAt(now + 1000)
}

/** Asserts that axe reports no violation. */
export async function expectAccessible(page: Page) {
  expect(await foundByAxe(page), `axe violations on ${page.url()}`).toEqual([])
}

/** Asserts that axe reports no violation on a phone and on a desktop. Restores the viewport. */
export async function expectAccessibleOnPhoneAndDesktop(page: Page) {
  const viewportBefore = page.viewportSize()
  for (const viewport of [phone, desktop]) {
    await page.setViewportSize(viewport)
    await expectAccessible(page)
  }
  if (viewportBefore) await page.setViewportSize(viewportBefore)
}

/**
 * Starts a site as a process, in a temporary data folder unless `folder` is given. `stop` asserts that the
 * site logged no error, and deletes the folder.
 */
export async function startSite({ folder, settings }: { folder?: string; settings?: Record<string, string> } = {}) {
  const dataFolder = folder ?? (await mkdtemp(join(tmpdir(), 'noren-e2e-')))
  const defaultSettings = {
    TRUSTED_PROXY: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataFolder,
    LOG_LEVEL: 'warn',
  }
  // The journeys of the specification start on its page of dishes, which has no sections.
  if (!settings) {
    const db = await openDatabase({ file: join(dataFolder, 'site.db') })
    await fillSampleShop(db, { wanted: true, now: Date.now() })
    await db.destroy()
  }
  const urlPattern = /^サイトを開きました: (\S+)$/
  const { url, stop } = await startProcess('server/main.ts', { ...defaultSettings, ...settings }, urlPattern)
  return {
    service: { url, folder: dataFolder },
    stop: async () => {
      await stop()
      await rm(dataFolder, { recursive: true })
    },
  }
}

/**
 * Starts a server script as a process. Returns the URL that it prints, matched by `urlPattern`, and a stop function.
 * `stop` asserts that the server logged no error and exited with 0.
 */
export async function startProcess(script: string, environment: Record<string, string>, urlPattern: RegExp) {
  const server = spawn(process.execPath, [script], {
    // Playwright sets FORCE_COLOR, and Node warns if NO_COLOR is set too.
    env: { ...process.env, ...blankSettings, FORCE_COLOR: undefined, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errorLines: string[] = []
  createInterface(server.stderr).on('line', (line) => errorLines.push(line))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).on('line', (line) => {
      const [, printedUrl] = urlPattern.exec(line) ?? []
      if (printedUrl) resolve(printedUrl)
      if (line.startsWith('{')) errorLines.push(line)
    })
    server.once('exit', () =>
      reject(new Error(`The server exited before it printed its URL: ${errorLines.join('\n')}`)),
    )
  })
  const stop = async () => {
    const serverClosed = once(server, 'close')
    server.kill('SIGTERM')
    const [code] = await serverClosed
    expect(errorLines, 'unexpected errors of the server').toEqual([])
    expect(code, 'exit code of the server').toBe(0)
  }
  return { url, stop }
}
