import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page, type Response } from '@playwright/test'
import { openLine } from '../../db/testing-line.ts'
import { browserFlags, findBrowser } from '../../scripts/find-browser.ts'
import { startSite } from '../../scripts/start-site.ts'
import { countDeeds, refusedGoal } from './operation-counts.ts'
import { addCard, editCard } from './operations.ts'
import { type Asked, none, type Tried } from './goals.ts'
import { openPlace } from './site-copy.ts'
import { randomFrom } from './random.ts'
import { openWriter } from './workload.ts'

const PAGES = 10
const COMES_WITHIN_MS = 30_000

/** Cuts the live streams of open pages while cards change. Each page must end equal to a page that was just opened. */
export async function streams({ runs = 40, seed, on }: Asked): Promise<Tried[]> {
  const [engine] = on
  if (!engine) return []
  await using browser = await chromium.launch({ executablePath: findBrowser(), args: browserFlags })
  const place = await openPlace(engine)
  const site = await startSite(place.settings, { folder: place.folder })
  const line = await openLine(site.address)
  const address = line.url.replace(/\/$/, '')
  const random = randomFrom(seed)
  const writer = openWriter(place, seed)
  const hand = writer.hands.approved
  let opened = 0
  const count = () => {
    opened += 1
  }
  const pages = await Promise.all(Array.from({ length: PAGES }, () => openPage(browser, `${address}/dining`, count)))
  while (opened < runs + PAGES) {
    line.break()
    await (random.chance(0.3) ? addCard : editCard)({ ...hand, address: site.address })
    await pause(random.between(0, 300))
    line.mend()
    // The pages reconnect after one or two seconds.
    await pause(random.between(1200, 2600))
    await editCard({ ...hand, address: site.address })
  }
  const wrong: string[] = []
  for (const [index, page] of pages.entries()) {
    const same = await isLikeFresh(browser, page, `${address}/dining`)
    if (!same) wrong.push(`page ${index} is not like one that is opened now`)
  }
  await browser.close()
  line.close()
  await site.stop()
  await place.close()
  const goals = [refusedGoal(writer.ledger.deeds), none('pages that ended otherwise', wrong)]
  const deeds = countDeeds(writer.ledger.deeds)
  return [{ of: `${engine}, ${PAGES} pages`, runs: opened - PAGES, goals, deeds }]
}

async function openPage(browser: Browser, url: string, onStream: () => void) {
  const page = await browser.newPage()
  const isStream = (response: Response) => response.url().includes('/api/live') && response.ok()
  page.on('response', (response) => {
    if (isStream(response)) onStream()
  })
  // A page whose scripts were cut off never opens a stream, and the scripts load after the page.
  const stream = page.waitForResponse(isStream)
  await page.goto(url)
  await stream
  return page
}

async function isLikeFresh(browser: Browser, page: Page, url: string) {
  const until = performance.now() + COMES_WITHIN_MS
  const textOf = (one: Page) => one.locator('main').innerText()
  while (performance.now() < until) {
    const fresh = await browser.newPage()
    await fresh.goto(url)
    const same = (await textOf(fresh)) === (await textOf(page))
    await fresh.close()
    if (same) return true
    await pause(500)
  }
  return false
}
