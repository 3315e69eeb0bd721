import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addCard, deleteCard, listCards } from '../../app/cards/cards.server.ts'
import { saveSection } from '../../app/sections/sections.server.ts'
import { openDatabase } from '../../db/open.ts'
import { fillSampleShop } from '../../server/sample-shop.ts'
import { author } from './site-with-data.ts'
import { expect, expectAccessibleOnPhoneAndDesktop, open, phone, startSite, test as visitorTest } from './visitors.ts'

const DISH_COUNT = 60
const sectionNames = ['お造り', '焼きもの', 'おばんざい', 'お食事', '日本酒', 'ワイン', '甘味']
const sectionIds = sectionNames.map((_, index) => `5d0f3c5e-0000-4000-8000-00000000000${index}`)

/** A test on a site with a menu of 60 dishes in 7 sections. No test changes this site. */
const test = visitorTest.extend({
  site: async ({ startOnce }, use) => use((await startOnce('site with a printed menu', startWithDishes)).url),
})

async function startWithDishes() {
  const folder = await mkdtemp(join(tmpdir(), 'noren-e2e-'))
  const db = await openDatabase({ file: join(folder, 'site.db') })
  await fillSampleShop(db, { wanted: true, now: Date.now() })
  for (const { id, version } of await listCards(db, 'dining', { drafts: true }))
    await deleteCard(db, { id, version }, author())
  for (const [index, id] of sectionIds.entries()) {
    const introduction = index % 2 === 1 ? '京都の酒蔵から、季節ごとに選んでいます。' : ''
    const facts = { name: sectionNames[index] ?? '', introduction }
    await saveSection(db, id, { version: 0, facts }, author())
  }
  for (let index = 0; index < DISH_COUNT; index++) await addCard(db, 'dining', dishAt(index), author())
  await db.destroy()
  return startSite({ folder })
}

// Names of one to three lines, one to six prices, and notes of up to two lines.
function dishAt(index: number) {
  const long = index % 6 === 2 ? 'と聖護院大根の炊いたん、柚子味噌と山椒を添えて' : ''
  const labels = ['グラス', '一合', 'デキャンタ', 'ハーフ', 'ボトル', 'マグナム'].slice(0, (index % 7) - 1)
  return {
    order: index,
    title: `京の一皿${index}${long}`,
    price: index % 7 < 2 ? '1200' : labels.map((label, at) => `${label} ${800 + at * 1500}`).join('、'),
    section: sectionIds[Math.floor((index / DISH_COUNT) * sectionIds.length)] ?? '',
    allergens: index % 4 === 0 ? '小麦、卵' : '',
    allergensConfirmed: index % 5 === 0,
  }
}

const RUNS = 7
const POINTS_PER_MM = 72 / 25.4
const MIN_MARGIN = 20
// `band` is the side along which a page has two columns or two tiers.
const formats = {
  a4: { width: 210, height: 297, band: 'x', maxSheets: 3 },
  a5: { width: 148, height: 210, band: 'x', maxSheets: 5 },
  vertical: { width: 297, height: 210, band: 'y', maxSheets: 3 },
} as const

test.describe('the printed menu', () => {
  for (const [format, { width, height, band, maxSheets }] of Object.entries(formats))
    test(`has every dish in one piece, and every heading beside its first dish, as ${format}`, async ({ page }) => {
      await open(page, `/dining/print?format=${format}`)
      const sections = await linkDishesAndHeadings(page)
      expect(sections.flatMap(({ dishes }) => dishes)).toHaveLength(DISH_COUNT)
      // Each run has one dish less, so that other dishes and headings come to the end of a column or tier.
      for (let run = 0; run < RUNS; run++) {
        const sheets = readPages(await page.pdf({ preferCSSPageSize: true }))
        expect(sheets.length).toBeGreaterThan(1)
        expect(sheets.length).toBeLessThanOrEqual(maxSheets)
        for (const sheet of sheets) {
          expect(sheet.width / POINTS_PER_MM).toBeCloseTo(width, 0)
          expect(sheet.height / POINTS_PER_MM).toBeCloseTo(height, 0)
          for (const { link, box } of sheet.links) {
            expect(Math.min(box.x[0], box.y[0]), link).toBeGreaterThanOrEqual(MIN_MARGIN)
            expect(box.x[1], link).toBeLessThanOrEqual(sheet.width - MIN_MARGIN)
            expect(box.y[1], link).toBeLessThanOrEqual(sheet.height - MIN_MARGIN)
          }
        }
        const half = ((band === 'x' ? width : height) * POINTS_PER_MM) / 2
        for (const { heading, dishes } of sections) {
          for (const dish of dishes) expectTogether(sheets, [dish], band, half)
          expectTogether(sheets, [heading, dishes[0] ?? ''], band, half)
        }
        await page
          .locator('article section')
          .first()
          .locator('> div')
          .last()
          .evaluate((dish) => dish.remove())
        sections[0]?.dishes.pop()
      }
    })

  test('has one A6 card with the shop name and the QR code', async ({ page }) => {
    await open(page, '/dining/print?format=card')
    const sheets = readPages(await page.pdf({ preferCSSPageSize: true }))
    expect(sheets).toHaveLength(1)
    expect((sheets[0]?.width ?? 0) / POINTS_PER_MM).toBeCloseTo(105, 0)
    expect((sheets[0]?.height ?? 0) / POINTS_PER_MM).toBeCloseTo(148, 0)
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('img', { name: 'お品書きのQRコード' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'ダイニング結' })).toBeVisible()
  })

  test('has no header, footer or controls of the site on paper', async ({ page }) => {
    await open(page, '/dining/print')
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('heading', { level: 3, name: 'お造り' })).toBeVisible()
    for (const role of ['banner', 'contentinfo', 'navigation', 'button', 'combobox'] as const)
      await expect(page.getByRole(role).filter({ visible: true }), role).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('link').filter({ visible: true })).toHaveCount(0)
  })

  test('opens the print dialog of the browser from its button', async ({ page }) => {
    await page.addInitScript(() => {
      window.print = () => document.body.setAttribute('data-printed', '')
    })
    await open(page, '/dining/print')
    await page.getByRole('button', { name: '印刷する' }).click()
    await expect(page.locator('body')).toHaveAttribute('data-printed')
  })

  test('passes axe in every format, and fits a small phone', async ({ page }) => {
    await page.setViewportSize(phone)
    for (const format of ['a4', 'card', 'vertical']) {
      await open(page, `/dining/print?format=${format}`)
      await expectAccessibleOnPhoneAndDesktop(page)
      await page.setViewportSize({ width: 320, height: 640 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth), format).toBeLessThanOrEqual(320)
      const controls = page.getByRole('main').locator('a, button, select').filter({ visible: true })
      for (const control of await controls.all())
        expect((await control.boundingBox())?.height, await control.innerText()).toBeGreaterThanOrEqual(44)
    }
  })
})

test.describe('the printed menu without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('changes its format and section, and names the menu of the browser', async ({ page }) => {
    await page.goto('/dining/print')
    await page.getByRole('link', { name: '価格表（A5）' }).click()
    await page.getByLabel('印刷する分類').selectOption('ワイン')
    await page.getByRole('button', { name: '表示する' }).click()
    await expect(page).toHaveURL(/format=a5&section=/)
    await expect(page.getByRole('heading', { level: 3 })).toHaveText(['ワイン'])
    await expect(page.getByRole('link', { name: '価格表（A5）' })).toHaveAttribute('aria-current', 'page')
    await expect(page.getByText('ブラウザのメニューから「印刷」')).toBeVisible()
    await expect(page.getByRole('button', { name: '印刷する' })).toHaveCount(0)
    await page.getByRole('link', { name: 'お料理へ戻る' }).click()
    await expect(page).toHaveURL('/dining')
  })
})

/** Turns the texts of each heading and each dish into links, so that the PDF has their positions. Returns the links. */
function linkDishesAndHeadings(page: Page) {
  return page.evaluate(() => {
    const link = (element: Element, href: string) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      const texts: Text[] = []
      while (walker.nextNode()) texts.push(walker.currentNode as Text)
      for (const text of texts) {
        const anchor = Object.assign(document.createElement('a'), { href })
        text.replaceWith(anchor)
        anchor.append(text)
      }
      return href
    }
    return [...document.querySelectorAll('article section')].map((section, index) => ({
      heading: link(section.querySelector('h3') as Element, `https://heading.example/${index}`),
      dishes: [...section.querySelectorAll('div:first-child > div:not(:has(h3)), section > div + div')].map(
        (dish, at) => link(dish, `https://dish.example/${index}-${at}`),
      ),
    }))
  })
}

type Box = { x: [number, number]; y: [number, number] }

/** Asserts that all texts of the links are on one page, and in one column (x) or tier (y). */
function expectTogether(sheets: ReturnType<typeof readPages>, links: string[], band: 'x' | 'y', maxLength: number) {
  const partsBySheet = sheets.map((sheet) => sheet.links.filter(({ link }) => links.includes(link)))
  const [parts = [], ...otherParts] = partsBySheet.filter(({ length }) => length > 0)
  expect(otherParts, links.join()).toEqual([])
  expect(new Set(parts.map(({ link }) => link))).toEqual(new Set(links))
  const positions = parts.flatMap(({ box }) => box[band])
  expect(Math.max(...positions) - Math.min(...positions), links.join()).toBeLessThan(maxLength)
}

/** Returns the size of each page of a PDF of Chromium, and the boxes of its links, in points. */
function readPages(pdf: Buffer) {
  const text = pdf.toString('latin1')
  const objects = new Map([...text.matchAll(/^(\d+) 0 obj\n(.*?)^endobj/gms)].map(([, id, body = '']) => [id, body]))
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\b/.test(body))
  return pages.map((body) => {
    const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(body) ?? []
    const annotations = /\/Annots \[([^\]]*)\]/.exec(body)?.[1]?.match(/\d+(?= 0 R)/g) ?? []
    const links = annotations.map((id) => {
      const annotation = objects.get(id) ?? ''
      const [, left, bottom, right, top] = /\/Rect \[(\S+) (\S+) (\S+) (\S+)\]/.exec(annotation)?.map(Number) ?? []
      const box = { x: [left, right], y: [bottom, top] } as Box
      return { link: /\/URI \((.*)\)/.exec(annotation)?.[1] ?? '', box }
    })
    return { width: Number(width), height: Number(height), links }
  })
}
