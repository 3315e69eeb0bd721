import type { Page } from '@playwright/test'
import type { Kysely } from 'kysely'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import type { SiteSettings } from '../../app/settings/site.ts'
import type { Tables } from '../../db/tables.ts'
import { test as editorTest } from './editors.ts'
import { author, test } from './site-with-data.ts'
import { expect, open, openHydrated, phone } from './visitors.ts'

test.describe.configure({ mode: 'default' })
test.slow()

const landscape = { width: 844, height: 390 }
const LONG_NOTICE = '年末年始は休まず営業いたします。おせちのご予約も承ります。'.repeat(10)

async function change(db: Kysely<Tables>, facts: Partial<SiteSettings>) {
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts }, author())
}

// The site detects a change by another process within 250 ms, so this function reloads until the change appears.
async function openUntilContains(page: Page, path: string, text: string) {
  await expect(async () => {
    await openHydrated(page, path)
    await expect(page.locator('body')).toContainText(text, { timeout: 500 })
  }).toPass()
}

for (const screen of [phone, landscape, { width: 1440, height: 900 }]) {
  test(`shifts no layout between home and the dishes at ${screen.width} px`, async ({ page }) => {
    await page.setViewportSize(screen)
    await open(page, '/')
    await page.evaluate(() => {
      window.shifts = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shifts.push((entry as unknown as { value: number }).value)
      }).observe({ type: 'layout-shift', buffered: true })
    })
    // Clicks by script, because the browser does not count layout shifts soon after a real tap.
    for (const [path, title] of [
      ['/dining', 'お料理 | ダイニング結'],
      ['/home', /^ダイニング結 \|/],
    ] as const) {
      await page.evaluate((href) => document.querySelector<HTMLElement>(`header a[href="${href}"]`)?.click(), path)
      await expect(page).toHaveTitle(title)
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    }
    expect((await page.evaluate(() => window.shifts)).reduce((sum, each) => sum + each, 0)).toBeLessThan(0.005)
  })
}

editorTest('keeps the header in one row for an administrator, who has one more link', async ({ owner }) => {
  const page = await owner()
  await open(page, '/dining')
  await expect(page.getByRole('banner').getByRole('button', { name: 'ログアウト' })).toBeAttached()
  expect(await findWidthsWithTwoRows(page)).toEqual([])
})

test.describe('with other settings of the shop', () => {
  test.afterEach(({ db }) => change(db, { notice: '', name: 'ダイニング結', seal: '結' }))

  for (const [noticeName, notice] of Object.entries({ 'no notice': '', 'a long notice': LONG_NOTICE })) {
    test(`shows the opening status on a phone in landscape with ${noticeName}`, async ({ page, db }) => {
      await change(db, { notice })
      await openUntilContains(page, '/', notice.slice(0, 20))
      for (const screen of [landscape, { width: 667, height: 375 }, { width: 568, height: 320 }]) {
        await page.setViewportSize(screen)
        const card = page.locator('[class*=open-now_card]')
        await expect(card, `${screen.width} px`).toBeInViewport({ ratio: 1 })
        expect(await findOverlaps(page), `${screen.width} px`).toEqual([])
      }
    })
  }

  test('keeps the header in one row beside a long shop name', async ({ page, db }) => {
    for (const name of ['ダイニング結', '京町家ダイニング結と酒処', '京都烏丸御池の小さなダイニング結本店']) {
      await change(db, { name })
      await openUntilContains(page, '/dining', name)
      expect(await findWidthsWithTwoRows(page), name).toEqual([])
      const menu = page.getByRole('button', { name: 'メニューを開く' })
      await page.setViewportSize({ width: 900, height: 800 })
      await expect(menu).toBeVisible({ visible: name.length > 6 })
      await page.setViewportSize({ width: 1440, height: 800 })
      await expect(menu).toBeHidden()
    }
  })

  test('opens the menu over the whole width beside a long shop name', async ({ page, db }) => {
    const name = '京都烏丸御池の小さなダイニング結本店'
    await change(db, { name })
    await openUntilContains(page, '/dining', name)
    for (const width of [320, 390, 1000]) {
      await page.setViewportSize({ width, height: 800 })
      await page.getByRole('button', { name: 'メニューを開く' }).click()
      const [header, list] = await page.evaluate(() =>
        ['header', '#navigation'].map((found) => document.querySelector(found)?.getBoundingClientRect().toJSON()),
      )
      expect(list.top).toBeCloseTo(header.bottom, -1)
      // A classic scrollbar is part of the viewport width.
      expect(list.left).toBeLessThanOrEqual(0)
      expect(list.right).toBe(header.right)
      await page.keyboard.press('Escape')
    }
  })

  test('keeps two characters within the stamp of the logo', async ({ page, db }) => {
    await change(db, { seal: '結庵' })
    await openUntilContains(page, '/dining', '結庵')
    for (const { width, height } of [phone, { width: 1440, height: 900 }]) {
      await page.setViewportSize({ width, height })
      const { stamp, letters } = await page.getByText('結庵', { exact: true }).evaluate((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        return { stamp: element.getBoundingClientRect().toJSON(), letters: range.getBoundingClientRect().toJSON() }
      })
      expect(letters.left).toBeGreaterThanOrEqual(stamp.left + 2)
      expect(letters.right).toBeLessThanOrEqual(stamp.right - 2)
      expect(letters.bottom).toBeLessThanOrEqual(stamp.bottom)
    }
  })
})

/** Returns the viewport widths from 900 px on at which the header has a second row. */
async function findWidthsWithTwoRows(page: Page) {
  const widths: number[] = []
  for (let width = 900; width <= 1400; width += 5) {
    await page.setViewportSize({ width, height: 800 })
    const rows = await page.evaluate(() => {
      const header = document.querySelector('header') as Element
      const links = [...header.querySelectorAll('nav a, nav li > button')].filter((each) => each.checkVisibility())
      const name = document.createRange()
      name.selectNodeContents(header.querySelector('button')?.lastChild as Node)
      const lines = new Set([...name.getClientRects()].map(({ top }) => Math.round(top))).size
      const below = links.some((link) => link.getBoundingClientRect().top > name.getBoundingClientRect().bottom)
      return Math.max(
        lines,
        new Set(links.map((link) => Math.round(link.getBoundingClientRect().top))).size + Number(below),
      )
    })
    if (rows > 1) widths.push(width)
  }
  return widths
}

/** Returns the overlapping elements of the first view as pairs of texts. */
function findOverlaps(page: Page) {
  return page.evaluate(() => {
    const parts = [
      ...document.querySelectorAll('header, [class*=slideshow_board] > *, [class*=slideshow_controls]'),
      ...document.querySelectorAll('.swiper-slide:not([inert]) [class*=slideshow_story] > p'),
    ]
    return parts.flatMap((one, index) =>
      parts.slice(index + 1).flatMap((other) => {
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top
        return apart ? [] : `${one.textContent?.slice(0, 20)} / ${other.textContent?.slice(0, 20)}`
      }),
    )
  })
}

declare global {
  interface Window {
    shifts: number[]
  }
}
