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

/** The windows, in CSS pixels, in which pages are looked at. */
export const phone = { width: 390, height: 844 }
export const desk = { width: 1440, height: 900 }

/** The pages with a film behind their title, on a dark ground. */
export const nightPages = [
  '/videoproduction',
  '/municipalarchitect',
  '/webdesignincludebackend',
  '/vbacreate',
  '/socialefficiency',
]

export type OpenPage = (options?: Omit<BrowserContextOptions, 'extraHTTPHeaders'>) => Promise<Page>

type ForEachTest = {
  /** The address of the running site that `page` visits: filled with the sample shop, changed by nobody. */
  site: string
  /** What the page may complain about or ask of others in this test: each matches "complaint address". */
  expectedNoise: RegExp[]
  /** Opens another page of this site, as another visitor. */
  openPage: OpenPage
}
type ForEachWorker = {
  contexts: ReturnType<typeof openContexts>
  /** What `start` gives, started once in this worker, under this name, and stopped at its end. */
  keep<T>(name: string, start: () => Promise<Kept<T>>): Promise<T>
}
type Kept<T> = { running: T; stop: () => Promise<unknown> }

let networks = 0

/**
 * A test whose `page` visits a running site, and which fails on anything that the browser or the server complains about.
 * Whatever a file of tests needs running it gets by `keep`, in a fixture of its tests: a fixture of its workers would cost
 * it workers, and a browser each, of its own.
 */
export const test = base.extend<ForEachTest, ForEachWorker>({
  keep: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what is needed
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
  // Each test comes from another network, as visitors do: what one asks for is not counted with what others do.
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

/** Notes what a page complains about or asks of others than the site; the function returned gives what nobody expected. */
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

/** After a test that failed, prints what stands on these pages: often it says why. */
export async function sayWhatIsShown(pages: Page[], { status, expectedStatus, title }: TestInfo) {
  if (status === expectedStatus) return
  for (const page of pages) {
    const shown = await page.ariaSnapshot().catch(String)
    console.log(`${title}\n${page.url()}\n${shown}`)
  }
}

export { expect }

/** Opens a page of the site and waits until all of it answers to clicks; returns its response. */
export async function open(page: Page, path: string) {
  const response = await hydrated(page, path)
  // What only editors see comes by scripts of its own.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('a, button')].every((control) =>
      Object.keys(control).some((key) => key.startsWith('__reactFiber')),
    ),
  )
  return response
}

/** Opens a page of the site, and waits until the page hears of changes as well. */
export async function openAndListen(page: Page, path: string) {
  const listening = page.waitForResponse(/\/api\/live/)
  await open(page, path)
  await listening
}

/** Opens a page of the site and waits until what everyone sees of it answers to clicks; returns its response. */
export async function hydrated(page: Page, path: string) {
  const response = await page.goto(path)
  await untilHydrated(page)
  return response
}

/** Waits until React Router controls the scroll position, which begins in an effect: then every handler is in place. */
export async function untilHydrated(page: Page) {
  await page.waitForFunction(() => history.scrollRestoration === 'manual')
}

/** What is told in a page, or in a part of it, with these words: where it is seen. */
export function told(where: Page | Locator, words: string | RegExp) {
  return where.locator('[data-notice]').filter({ hasText: words })
}

/** Fills in fields, by their labels. */
export async function fillIn(where: Page | Locator, texts: Record<string, string>) {
  for (const [label, text] of Object.entries(texts)) await where.getByLabel(label).fill(text)
}

/** Chooses options of selects, by the labels of the selects. */
export async function choose(where: Page | Locator, options: Record<string, string | { index: number }>) {
  for (const [label, option] of Object.entries(options)) await where.getByLabel(label).selectOption(option)
}

/** Clicks a button, and asserts that the page then shows a notice with these words. */
export async function pressAndRead(where: Page | Locator, name: string | RegExp, words: string | RegExp) {
  await where.getByRole('button', { name }).click()
  await expect(told(where, words)).toBeVisible()
}

/** Holds back requests, or those of them that `isHeld` names, until the function returned is called. */
export async function holdBack(page: Page, url: RegExp | string, isHeld = (_: Request) => true) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (isHeld(route.request())) await promise
    await route.continue()
  })
  return resolve
}

/** Makes a page that of a slow phone: 400 ms of latency, a CPU slowed six times. */
export async function slowDown(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const unlimited = { offline: false, downloadThroughput: -1, uploadThroughput: -1 }
  await session.send('Network.emulateNetworkConditions', { ...unlimited, latency: 400 })
}

/** What has been announced on the page, or in the dialog over it: the sentences, in their order. */
export function announced(page: Page) {
  return page.locator('[data-announcements] > p')
}

/** Each time that just this sentence was announced. */
export function heard(page: Page, sentence: string) {
  return page.locator('[data-announcements]').getByText(sentence, { exact: true })
}

/** Takes away what has been announced until now. */
export function forgetAnnounced(page: Page) {
  return page.evaluate(() => {
    for (const region of document.querySelectorAll('[data-announcements]')) region.replaceChildren()
  })
}

/** The components under app/ whose text has this, in their order: for tables that must name each of them. */
export function filesThatDraw(text: RegExp) {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  return files.filter((file) => text.test(readFileSync(`app/${file}`, 'utf8'))).sort()
}

/** Stops the page's clock before it is opened: from then on only `page.clock.runFor` moves it. */
export async function stopClock(page: Page) {
  const now = Date.now()
  await page.clock.install({ time: now })
  await page.clock.pauseAt(now + 1000)
}

/** Asserts that axe finds nothing to complain about. */
export async function axe(page: Page) {
  expect(await foundByAxe(page), `what axe found on ${page.url()}`).toEqual([])
}

/** What `axe` asserts, on a phone and on a desk; the page is as wide as before then. */
export async function axeOnPhoneAndDesk(page: Page) {
  const own = page.viewportSize()
  for (const viewport of [phone, desk]) {
    await page.setViewportSize(viewport)
    await axe(page)
  }
  if (own) await page.setViewportSize(own)
}

/**
 * A site as a process, in a folder of its own where none is given, with `settings` beside the usual ones. Stopping it
 * asserts that it had nothing to complain about.
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
 * A server of ours as a process: the address that it says in the line like `opened`, and how to stop it, which asserts
 * that it had nothing to complain about, before its end and at it.
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
