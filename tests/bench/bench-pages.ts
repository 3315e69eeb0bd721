import { chromium, devices } from '@playwright/test'
import { collectionNames, collections } from '../../app/cards/card.ts'
import { browserFlags, findBrowser } from '../../scripts/find-browser.ts'
import { publicPages, startSite } from '../../scripts/start-site.ts'
import { missingFiles, type Transfer, visitPage } from '../../scripts/visit-page.ts'
import { asCount, asKilobytes, figure, figureAtMost, type Row } from './bench-figures.ts'

const { defaultBrowserType: _, ...phone } = devices['Pixel 7']
const cardPages = new Set<string>(collectionNames.map((name) => collections[name].path))

/**
 * Measures the bytes that a phone receives when it first opens a public page and scrolls to the end. Includes every
 * public page.
 */
export async function pages(): Promise<Row[]> {
  await using site = await startSite()
  await using browser = await chromium.launch({ executablePath: findBrowser(), args: browserFlags })
  const rows: Row[] = []
  for (const path of await publicPages(site.address)) {
    await using context = await browser.newContext({ ...phone, locale: 'ja-JP' })
    rows.push(row(path, await visitPage(await context.newPage(), `${site.address}${path}`)))
  }
  return rows
}

function row(path: string, transfers: Transfer[]): Row {
  const scripts = sum(transfers.filter(({ mime }) => /javascript/.test(mime)))
  const pictures = sum(transfers.filter(({ type }) => type === 'Image'))
  const document = sum(transfers.filter(({ type }) => type === 'Document'))
  const budget = path === '/' ? 140_000 : path === '/dining' ? 112_000 : cardPages.has(path) ? 110_000 : null
  return {
    label: path,
    figures: [
      path === '/dining' ? figureAtMost('HTML', document, 16_000, asKilobytes) : figure('HTML', document, asKilobytes),
      budget ? figureAtMost('JavaScript', scripts, budget, asKilobytes) : figure('JavaScript', scripts, asKilobytes),
      path === '/'
        ? figureAtMost('pictures', pictures, 350_000, asKilobytes)
        : figure('pictures', pictures, asKilobytes),
      figure('films', sum(transfers.filter(({ type }) => type === 'Media')), asKilobytes),
      figure('total', sum(transfers), asKilobytes),
      figure('requests', transfers.length, asCount),
    ],
    notes: missingFiles(transfers),
  }
}

function sum(transfers: Transfer[]) {
  return transfers.reduce((total, { bytes }) => total + bytes, 0)
}
