import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page, type Response } from '@playwright/test'
import { openLine } from '../../db/testing-line.ts'
import { browserFlags, findBrowser } from '../../scripts/find-browser.ts'
import { startSite } from '../../scripts/start-site.ts'
import { noneGoal, type TrialOptions, type TrialResult } from './goals.ts'
import { countOperations, refusedGoal } from './operation-counts.ts'
import { addCard, editCard } from './operations.ts'
import { randomFrom } from './random.ts'
import { openSiteCopy } from './site-copy.ts'
import { openWorkload } from './workload.ts'

const PAGES = 10
const UPDATE_TIMEOUT_MS = 30_000

/**
 * Cuts the live streams of open pages while cards change. In the end, each page must equal a page that was just opened.
 */
export async function streams({ runs = 40, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  const [engine] = selectedEngines
  if (!engine) return []
  await using browser = await chromium.launch({ executablePath: findBrowser(), args: browserFlags })
  const copy = await openSiteCopy(engine)
  const site = await startSite(copy.settings, { folder: copy.folder })
  const proxy = await openLine(site.address)
  const address = proxy.url.replace(/\/$/, '')
  const random = randomFrom(seed)
  const workload = openWorkload(copy, seed)
  const actor = workload.actors.approved
  let openedStreams = 0
  const countStream = () => {
    openedStreams += 1
  }
  const pages = await Promise.all(
    Array.from({ length: PAGES }, () => openPage(browser, `${address}/dining`, countStream)),
  )
  while (openedStreams < runs + PAGES) {
    proxy.break()
    await (random.chance(0.3) ? addCard : editCard)({ ...actor, address: site.address })
    await pause(random.between(0, 300))
    proxy.mend()
    // The pages reconnect after one or two seconds.
    await pause(random.between(1200, 2600))
    await editCard({ ...actor, address: site.address })
  }
  const failures: string[] = []
  for (const [index, page] of pages.entries()) {
    const isEqual = await isEqualToFresh(browser, page, `${address}/dining`)
    if (!isEqual) failures.push(`page ${index} differs from a fresh page`)
  }
  await browser.close()
  proxy.close()
  await site.stop()
  await copy.close()
  const goals = [refusedGoal(workload.log.operations), noneGoal('pages that differ from a fresh page', failures)]
  const operations = countOperations(workload.log.operations)
  return [{ label: `${engine}, ${PAGES} pages`, runs: openedStreams - PAGES, goals, operations }]
}

async function openPage(browser: Browser, url: string, onStream: () => void) {
  const page = await browser.newPage()
  const isStream = (response: Response) => response.url().includes('/api/live') && response.ok()
  page.on('response', (response) => {
    if (isStream(response)) onStream()
  })
  // The scripts load after the page. If a cut interrupts their loading, the page never opens a stream, so wait for the
  // stream.
  const stream = page.waitForResponse(isStream)
  await page.goto(url)
  await stream
  return page
}

async function isEqualToFresh(browser: Browser, page: Page, url: string) {
  const until = performance.now() + UPDATE_TIMEOUT_MS
  const textOf = (one: Page) => one.locator('main').innerText()
  while (performance.now() < until) {
    const fresh = await browser.newPage()
    await fresh.goto(url)
    const isEqual = (await textOf(fresh)) === (await textOf(page))
    await fresh.close()
    if (isEqual) return true
    await pause(500)
  }
  return false
}
