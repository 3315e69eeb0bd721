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
import { foundByAxe } from '../../scripts/found-by-axe.ts'
import { openContexts } from './contexts.ts'

/** The tested viewports, in CSS pixels. */
export const phone = { width: 390, height: 844 }
export const desk = { width: 1440, height: 900 }

/** The dark pages, with a film behind their title. */
export const nightPages = [
  '/videoproduction',
  '/municipalarchitect',
  '/webdesignincludebackend',
  '/vbacreate',
  '/socialefficiency',
]

export type OpenPage = (options?: Omit<BrowserContextOptions, 'extraHTTPHeaders'>) => Promise<Page>

type ForEachTest = {
  /** The URL of a running site with the sample shop. No test changes this site. */
  site: string
  /** Patterns of expected errors and foreign requests, as "message URL". */
  expectedNoise: RegExp[]
  /** Opens another page of this site as another visitor. */
  openPage: OpenPage
}
type ForEachWorker = {
  contexts: ReturnType<typeof openContexts>
  /** Returns the result of `start`, which runs once per worker and name and is stopped when the worker ends. */
  keep<T>(name: string, start: () => Promise<Kept<T>>): Promise<T>
}
type Kept<T> = { running: T; stop: () => Promise<unknown> }

let networks = 0

/**
 * A test whose `page` visits a running site. It fails on every error that the browser or the server logs. Specs start
 * further services with `keep` in test fixtures: worker fixtures would start additional workers and browsers.
 */
export const test = base.extend<ForEachTest, ForEachWorker>({
  keep: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the required fixtures from the pattern
    async ({}, use) => {
      const kept = new Map<string, Promise<Kept<unknown>>>()
      await use(async <T>(name: string, start: () => Promise<Kept<T>>) => {
        const starting = kept.get(name) ?? start()
        kept.set(name, starting)
        return (await starting).running as T
      })
      await Promise.all([...kept.values()].map(async (starting) => (await starting).stop()))
    },
    { scope: 'worker' },
  ],
  contexts: [({ browser }, use) => use(openContexts(browser)), { scope: 'worker' }],
  site: async ({ keep }, use) => use((await keep('shop', startSite)).address),
  baseURL: ({ site }, use) => use(site),
  // Each test has its own network, so that rate limits do not add up.
  // biome-ignore lint/correctness/noEmptyPattern: as above
  extraHTTPHeaders: async ({}, use) => {
    networks += 1
    await use({ 'x-forwarded-for': `2001:db8:0:${networks.toString(16)}::1` })
  },
  expectedNoise: [[], { option: true }],
  openPage: async (
    { contexts, site, viewport, extraHTTPHeaders, contextOptions, javaScriptEnabled, hasTouch, timezoneId },
    use,
  ) => {
    const taken: Awaited<ReturnType<typeof contexts.take>>[] = []
    const usual = { viewport, contextOptions, javaScriptEnabled, hasTouch, timezoneId }
    await use(async (options) => {
      const kept = await contexts.take({ baseURL: site, ...options }, usual)
      taken.push(kept)
      await kept.context.setExtraHTTPHeaders(extraHTTPHeaders ?? {})
      return kept.context.newPage()
    })
    for (const kept of taken) await contexts.giveBack(kept)
  },
  context: ({ page }, use) => use(page.context()),
  page: async ({ openPage, site, expectedNoise }, use, testInfo) => {
    const page = await openPage()
    const unexpectedNoise = listen(page, site, expectedNoise)
    await use(page)
    await sayWhatIsShown([page], testInfo)
    expect(unexpectedNoise(), 'what the page complained about').toEqual([])
  },
})

/** Records errors and foreign requests of a page. Returns a function that lists the unexpected ones. */
export function listen(page: Page, site: string, expectedNoise: RegExp[]) {
  const noise: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') noise.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => noise.push(`${error.stack || error}`))
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(`${site}/`)) noise.push(`asked ${request.url()}`)
  })
  return () => noise.filter((line) => !expectedNoise.some((pattern) => pattern.test(line)))
}

/** Prints the content of the pages if the test has failed. */
export async function sayWhatIsShown(pages: Page[], { status, expectedStatus, title }: TestInfo) {
  if (status === expectedStatus) return
  for (const page of pages) {
    const shown = await page.ariaSnapshot().catch(String)
    console.log(`${title}\n${page.url()}\n${shown}`)
  }
}

export { expect }

/** Opens a page and waits until every control is interactive, including lazy ones. Returns the response. */
export async function open(page: Page, path: string) {
  const response = await hydrated(page, path)
  // Editing controls load in scripts of their own.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('a, button')].every((control) =>
      Object.keys(control).some((key) => key.startsWith('__reactFiber')),
    ),
  )
  return response
}

/** Opens a page and waits for its live stream. */
export async function openAndListen(page: Page, path: string) {
  const listening = page.waitForResponse(/\/api\/live/)
  await open(page, path)
  await listening
}

/** Opens a page and waits until its public part is hydrated. Returns the response. */
export async function hydrated(page: Page, path: string) {
  const response = await page.goto(path)
  await untilHydrated(page)
  return response
}

/** Waits until React Router has taken over the scroll position: the effects have run, so every handler is attached. */
export async function untilHydrated(page: Page) {
  await page.waitForFunction(() => history.scrollRestoration === 'manual')
}

/** Returns the notices with this text, in a page or an element. */
export function told(where: Page | Locator, words: string | RegExp) {
  return where.locator('[data-notice]').filter({ hasText: words })
}

/** Fills in fields by label. */
export async function fillIn(where: Page | Locator, texts: Record<string, string>) {
  for (const [label, text] of Object.entries(texts)) await where.getByLabel(label).fill(text)
}

/** Selects options by the label of the select. */
export async function choose(where: Page | Locator, options: Record<string, string | { index: number }>) {
  for (const [label, option] of Object.entries(options)) await where.getByLabel(label).selectOption(option)
}

/** Clicks a button and asserts that a notice with this text appears. */
export async function pressAndRead(where: Page | Locator, name: string | RegExp, words: string | RegExp) {
  await where.getByRole('button', { name }).click()
  await expect(told(where, words)).toBeVisible()
}

/** Delays all matching requests until the returned function is called. */
export async function holdBack(page: Page, url: RegExp | string, isHeld = (_: Request) => true) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (isHeld(route.request())) await promise
    await route.continue()
  })
  return resolve
}

/** Emulates a slow phone: 400 ms of latency and a CPU that is six times slower. */
export async function slowDown(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const unlimited = { offline: false, downloadThroughput: -1, uploadThroughput: -1 }
  await session.send('Network.emulateNetworkConditions', { ...unlimited, latency: 400 })
}

/** Returns the announced sentences of the page or of its open dialog, in order. */
export function announced(page: Page) {
  return page.locator('[data-announcements] > p')
}

/** Returns the announcements of exactly this sentence. */
export function heard(page: Page, sentence: string) {
  return page.locator('[data-announcements]').getByText(sentence, { exact: true })
}

/** Clears the announcements. */
export function forgetAnnounced(page: Page) {
  return page.evaluate(() => {
    for (const region of document.querySelectorAll('[data-announcements]')) region.replaceChildren()
  })
}

/** Returns the component files under app/ that match the pattern, sorted. For tables that must list each of them. */
export function filesThatDraw(text: RegExp) {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  return files.filter((file) => text.test(readFileSync(`app/${file}`, 'utf8'))).sort()
}

/** Stops the page clock before the page is opened. Only `page.clock.runFor` advances it then. */
export async function stopClock(page: Page) {
  const now = Date.now()
  await page.clock.install({ time: now })
  await page.clock.pauseAt(now + 1000)
}

/** Asserts that axe reports no violation. */
export async function axe(page: Page) {
  expect(await foundByAxe(page), `what axe found on ${page.url()}`).toEqual([])
}

/** Asserts that axe reports no violation on a phone and on a desktop. Restores the viewport. */
export async function axeOnPhoneAndDesk(page: Page) {
  const own = page.viewportSize()
  for (const viewport of [phone, desk]) {
    await page.setViewportSize(viewport)
    await axe(page)
  }
  if (own) await page.setViewportSize(own)
}

/**
 * Starts a site as a process, in a temporary data folder unless `folder` is given. `stop` asserts that it logged no
 * error, and deletes the folder.
 */
export async function startSite({ folder, settings }: { folder?: string; settings?: Record<string, string> } = {}) {
  const dataFolder = folder ?? (await mkdtemp(join(tmpdir(), 'noren-e2e-')))
  const usual = {
    DATABASE_URL: '',
    PUBLIC_ORIGIN: '',
    TRUSTED_PROXY: '127.0.0.1',
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataFolder,
    LOG_LEVEL: 'warn',
    HOLIDAYS_URL: '',
    SAMPLE_SHOP: 'yes',
  }
  const opened = /^サイトを開きました: (\S+)$/
  const { address, stop } = await startProcess('server/main.ts', { ...usual, ...settings }, opened)
  return {
    running: { address, folder: dataFolder },
    stop: async () => {
      await stop()
      await rm(dataFolder, { recursive: true })
    },
  }
}

/**
 * Starts a server script as a process. Returns the URL that it prints, matched by `opened`, and a stop function. `stop`
 * asserts that it logged no error and exited with 0.
 */
export async function startProcess(script: string, environment: Record<string, string>, opened: RegExp) {
  const server = spawn(process.execPath, [script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const complaints: string[] = []
  createInterface(server.stderr).on('line', (line) => complaints.push(line))
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).on('line', (line) => {
      const [, said] = opened.exec(line) ?? []
      if (said) resolve(said)
      if (line.startsWith('{')) complaints.push(line)
    })
    server.once('exit', () => reject(new Error(`The site did not open. ${complaints.join('\n')}`)))
  })
  const stop = async () => {
    const closed = once(server, 'close')
    server.kill('SIGTERM')
    const [code] = await closed
    expect(complaints, 'what the server complained about').toEqual([])
    expect(code, 'exit code of the server').toBe(0)
  }
  return { address, stop }
}
