import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import { test as visiting } from './visitors.ts'

type Opening = (options?: BrowserContextOptions) => Promise<Page>

/**
 * A test whose site lets a cookie say who asks, with `owner()` for a page of someone who may edit, and `approved()` for
 * one of a member of the circle.
 */
export const test = visiting.extend<{ owner: Opening; approved: Opening }, { site: string }>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what is needed
    async ({}, use) => {
      const { address, stop } = await startEditingSite()
      await use(address)
      await stop()
    },
    { scope: 'worker' },
  ],
  owner: ({ browser, site }, use) => openingAs('owner', browser, site, use),
  approved: ({ browser, site }, use) => openingAs('approved', browser, site, use),
})

/** A site where a cookie says who asks, as a process: its address, and how to stop it. */
export async function startEditingSite(databaseUrl = '', file = ':memory:') {
  const server = spawn(process.execPath, ['e2e/editing-site.ts'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, DATABASE_FILE: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).on('line', (line) => line.startsWith('http') && resolve(line))
    server.once('exit', () => reject(new Error('The site did not open')))
  })
  const stop = async () => {
    const closed = once(server, 'close')
    server.kill('SIGTERM')
    await closed
  }
  return { address, stop }
}

async function openingAs(as: string, browser: Browser, site: string, use: (opening: Opening) => Promise<void>) {
  const pages: Page[] = []
  await use(async (options) => {
    const page = await signedIn(as, browser, site, options)
    pages.push(page)
    return page
  })
  for (const page of pages) await page.context().close()
}

/** Waits until the parts that only editors see, which come by scripts of their own, answer to clicks too. */
export async function complete(page: Page) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('a, button')].every((control) =>
      Object.keys(control).some((key) => key.startsWith('__reactFiber')),
    ),
  )
}

/** A page of a site where a cookie says who asks, asked for by them. */
export async function signedIn(as: string, browser: Browser, site: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ baseURL: site, reducedMotion: 'reduce', ...options })
  await context.addCookies([{ name: 'as', value: as, url: site }])
  return context.newPage()
}
