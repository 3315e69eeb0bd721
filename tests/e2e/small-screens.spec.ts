import type { Page } from '@playwright/test'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import type { SiteSettings } from '../../app/settings/site.ts'
import type { Db } from '../../db/tables.ts'
import { test as editorTest } from './editors.ts'
import { copyToFrame } from './page-frame.ts'
import { author, showNotices, test } from './site-with-data.ts'
import { expect, open, openHydrated, phone } from './visitors.ts'

test.describe.configure({ mode: 'default' })
const landscape = { width: 844, height: 390 }
const LONG_NOTICE = '年末年始は休まず営業いたします。おせちのご予約も承ります。'.repeat(10)

async function change(db: Db, facts: Partial<SiteSettings>) {
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts }, author())
}

// The site detects a change by another process within 250 ms, so requests repeat until the change appears.
async function openOnceContains(page: Page, path: string, text: string) {
  await expect.poll(async () => (await page.request.get(path)).text()).toContain(text)
  await openHydrated(page, path)
}

test('shifts no layout between home and the dishes', async ({ page }) => {
  for (const screen of [phone, landscape, { width: 1440, height: 900 }]) {
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
    const shifts = await page.evaluate(() => window.shifts)
    expect(
      shifts.reduce((sum, each) => sum + each, 0),
      `${screen.width} px`,
    ).toBeLessThan(0.005)
  }
})

editorTest('keeps the header in one row for an administrator, who has one more link', async ({ owner }) => {
  const page = await owner()
  await open(page, '/dining')
  await expect(page.getByRole('banner').getByRole('button', { name: 'ログアウト' })).toBeAttached()
  expect(await findWidthsWithTwoRows(page)).toEqual([])
})

test.describe('with other settings of the shop', () => {
  test.afterEach(({ db }) => showNotices(db))
  test.afterEach(({ db }) => change(db, { name: 'ダイニング結', seal: '結' }))

  test('shows the opening status on a phone in landscape with and without a long notice', async ({ page, db }) => {
    const slide = page.locator('[class*=story-slideshow_slide].swiper-slide-active')
    for (const notice of ['', LONG_NOTICE]) {
      await showNotices(db, ...(notice ? [{ text: notice, place: 'home' as const }] : []))
      await openOnceContains(page, '/', notice.slice(0, 20))
      for (const screen of [landscape, { width: 667, height: 375 }, { width: 568, height: 320 }]) {
        await page.setViewportSize(screen)
        const card = page.locator('[class*=open-now_card]')
        await expect(card, `${screen.width} px`).toBeInViewport({ ratio: 1 })
        // The slides adapt to the new width one frame later.
        await expect
          .poll(() => slide.evaluate((slide) => slide.clientWidth === slide.closest('.swiper')?.clientWidth))
          .toBe(true)
        expect(await findOverlaps(page), `${screen.width} px`).toEqual([])
      }
    }
  })

  test('keeps the header in one row and the menu as wide as the page beside a long shop name', async ({ page, db }) => {
    for (const name of ['ダイニング結', '京町家ダイニング結と酒処', '京都烏丸御池の小さなダイニング結本店']) {
      await change(db, { name })
      await openOnceContains(page, '/dining', name)
      expect(await findWidthsWithTwoRows(page), name).toEqual([])
      const menu = page.getByRole('button', { name: 'メニューを開く' })
      await page.setViewportSize({ width: 900, height: 800 })
      await expect(menu).toBeVisible({ visible: name.length > 6 })
      await page.setViewportSize({ width: 1440, height: 800 })
      await expect(menu).toBeHidden()
    }
    for (const width of [320, 390, 1000]) {
      await page.setViewportSize({ width, height: 800 })
      await page.getByRole('button', { name: 'メニューを開く' }).press('Enter')
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
    await openOnceContains(page, '/dining', '結庵')
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
  await page.setViewportSize({ width: 1440, height: 800 })
  const frame = await copyToFrame(page)
  const { count, widths } = await frame.evaluate((frame) => {
    const { contentDocument, contentWindow } = frame
    const header = contentDocument?.querySelector('header') as Element
    const name = document.createRange()
    const widths: number[] = []
    let count = 0
    for (let width = 900; width <= 1400; width += 5) {
      frame.style.width = `${width}px`
      name.selectNodeContents(header.querySelector('button')?.lastChild as Node)
      const links = [...header.querySelectorAll('nav a, nav li > button')].filter((each) => each.checkVisibility())
      const lines = new Set([...name.getClientRects()].map(({ top }) => Math.round(top))).size
      const below = links.some((link) => link.getBoundingClientRect().top > name.getBoundingClientRect().bottom)
      const rows = new Set(links.map((link) => Math.round(link.getBoundingClientRect().top))).size + Number(below)
      if (Math.max(lines, rows) > 1) widths.push(width)
      if (contentWindow?.innerWidth === width && lines > 0) count += 1
    }
    frame.remove()
    return { count, widths }
  })
  expect(count, 'number of measured widths').toBe(101)
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
