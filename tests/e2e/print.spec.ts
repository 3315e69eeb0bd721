import type { Page } from '@playwright/test'
import { createTestOnOwnSite, test as editorTest } from './editors.ts'
import { post } from './forms.ts'
import { expect, open, test } from './visitors.ts'

const paper = { format: 'A4', margin: { top: '10mm', right: '10mm', bottom: '10mm', left: '10mm' } } as const

test.describe('on paper', () => {
  // The other introductions have the component of /municipalarchitect.
  const pages: { path: string; maxSheets: number; check?: (page: Page) => Promise<void> }[] = [
    { path: '/', maxSheets: 1, check: expectSlidesAndScenes },
    { path: '/infomation', maxSheets: 1, check: expectHoursWithoutStatus },
    { path: '/access', maxSheets: 1 },
    { path: '/videoproduction', maxSheets: 1 },
    { path: '/municipalarchitect', maxSheets: 1, check: expectDarkTexts },
    { path: '/tennisrelated', maxSheets: 1 },
    { path: '/dining', maxSheets: 2 },
    { path: '/mail', maxSheets: 2 },
    { path: '/privacy', maxSheets: 2 },
  ]
  // These pages fill most of their last sheet, and Letter is lower than A4.
  const longPages = ['/', '/infomation', '/dining']
  for (const { path, maxSheets, check } of pages)
    test(`fits ${path} on ${maxSheets} sheet(s), without buttons and menus, but with the logo in its colours`, async ({
      page,
    }) => {
      await open(page, path)
      for (const format of longPages.includes(path) ? (['A4', 'Letter'] as const) : (['A4'] as const))
        expect(countSheets(await page.pdf({ ...paper, format })), format).toBeLessThanOrEqual(maxSheets)
      await emulatePaper(page)
      const name = page.getByRole('banner').getByRole('button', { name: 'ダイニング結' })
      await expect(name).toBeVisible()
      await expect(name.getByText('結', { exact: true })).toHaveCSS('print-color-adjust', 'exact')
      const pressed = page.locator('button, nav').filter({ visible: true }).filter({ hasNotText: 'ダイニング結' })
      await expect(pressed.filter({ hasNot: page.locator('img') })).toHaveCount(0)
      await check?.(page)
    })

  // Prints a month of six weeks, and the month with the events of the sample shop.
  for (const [query, name] of Object.entries({ '?month=2026-08': '2026年8月', '': '' })) {
    test(`fits the calendar of ${name || 'this month'} on one landscape sheet with the shop name`, async ({ page }) => {
      await open(page, `/calendar${query}`)
      for (const format of ['A4', 'Letter'] as const) {
        const sheets = await page.pdf({ format, preferCSSPageSize: true })
        expect(countSheets(sheets), format).toBe(1)
        const [, width, height] = /\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/.exec(sheets.toString('latin1')) ?? []
        expect(Number(width), format).toBeGreaterThan(Number(height))
      }
      await emulatePaper(page)
      await expect(page.getByRole('banner').getByText('ダイニング結')).toBeVisible()
      await expect(page.getByRole('heading', { level: 1, name: name || /^\d+年\d+月$/ })).toBeVisible()
      await expect(page.getByRole('link', { name: '次の月' })).toBeHidden()
      await expect(page.getByRole('contentinfo')).toBeHidden()
      // Browsers evaluate media queries with the width of a portrait sheet, even if the page requests landscape.
      const month = await page.getByRole('grid').boundingBox()
      expect(month?.x).toBeGreaterThanOrEqual(0)
      expect((month?.x ?? 0) + (month?.width ?? 0)).toBeLessThanOrEqual(A4_WIDTH)
    })
  }
})

createTestOnOwnSite('site in March')(
  'fits /infomation before most holidays, and a month of six weeks with an event in each, on one sheet',
  async ({ owner, page, site }) => {
    const editor = await owner()
    await editor.goto('/api/health')
    await editor.request.get(`${site}/clock?now=2027-03-10T03:00:00Z`)
    for (const day of ['01', '05', '12', '19', '26', '31']) {
      const event = { id: crypto.randomUUID(), title: '印刷の会', day: `2027-05-${day}`, content: '' }
      await post(editor, '/calendar', { intent: 'add', ...event })
    }

    await open(page, '/infomation')
    await expect(page.getByText('こどもの日')).toBeVisible()
    for (const format of ['A4', 'Letter'] as const)
      expect(countSheets(await page.pdf({ ...paper, format })), format).toBe(1)
    await open(page, '/calendar?month=2027-05')
    await expect(page.getByRole('gridcell', { name: '印刷の会' })).toHaveCount(6)
    for (const format of ['A4', 'Letter'] as const)
      expect(countSheets(await page.pdf({ format, preferCSSPageSize: true })), format).toBe(1)
  },
)

editorTest('omits the sold-out tag and all editing controls on paper', async ({ owner }) => {
  const page = await owner()
  await open(page, '/dining')
  const card = page.getByRole('article').filter({ hasText: '新そば' })
  const soldOutSwitch = card.getByRole('switch')
  const tag = card.getByRole('paragraph').filter({ hasText: '本日売り切れ' })
  await soldOutSwitch.click()
  await expect(card).toContainText('本日売り切れ')
  await expect(tag).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  for (const each of await card.getByText('本日売り切れ').all()) await expect(each).toBeHidden()
  await expect(page.getByRole('navigation', { name: '管理メニュー' })).toBeHidden()
  await expect(page.getByRole('link', { name: '料理を追加' })).toBeHidden()
  await expect(page.getByText('編集').filter({ visible: true })).toHaveCount(0)
  await expect(card.getByRole('heading')).toBeVisible()
  await expect(card.getByRole('img')).toBeVisible()
  const sheetCount = countSheets(await page.pdf(paper))
  await page.emulateMedia({ media: 'screen' })
  await soldOutSwitch.click()
  await expect(tag).toBeHidden()
  await page.context().clearCookies()
  // Without an emulated medium, `pdf` prints with the styles of paper.
  await page.emulateMedia({ media: null })
  await open(page, '/dining')
  await expect(page.getByRole('navigation', { name: '管理メニュー' })).toHaveCount(0)
  expect(countSheets(await page.pdf(paper))).toBe(sheetCount)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('prints the image and the story of home on one sheet', async ({ page }) => {
    await page.goto('/')
    await emulatePaper(page)
    const slides = page.getByRole('region', { name: '店の物語' })
    await expect(slides.locator('img')).toBeVisible()
    for (const line of await slides.locator('p').all())
      for (const part of [line, ...(await line.locator('span').all())]) {
        await expect(part).toHaveCSS('opacity', '1')
        await expect(part).toHaveCSS('animation-name', 'none')
      }
    await expect(page.getByRole('region', { name: '店の風景' }).locator('figure:visible')).toHaveCount(3)
    expect(countSheets(await page.pdf(paper))).toBe(1)
  })
})

/** The width of an A4 sheet between its margins, in CSS pixels. */
const A4_WIDTH = 718

/** Emulates print media at the size of a sheet. */
async function emulatePaper(page: Page) {
  await page.setViewportSize({ width: A4_WIDTH, height: 1047 })
  await page.emulateMedia({ media: 'print' })
}

function countSheets(pdf: Buffer) {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}

/** Asserts that every slide has its two lines below its image, and that each scene is shown once. */
async function expectSlidesAndScenes(page: Page) {
  const slides = page.getByRole('region', { name: '店の物語' }).locator('.swiper-slide')
  await expect(slides.last().locator('img')).toBeAttached()
  const boxes = await slides.evaluateAll((elements) =>
    elements.map((element) => {
      const boxOf = (each: Element | null) => each?.getBoundingClientRect().toJSON() as DOMRect
      const lines = [...element.querySelectorAll('p')].map((line) => ({
        ...boxOf(line),
        writing: getComputedStyle(line).writingMode,
        animation: getComputedStyle(line.querySelector('span') ?? line).animationName,
        opacity: getComputedStyle(line.querySelector('span') ?? line).opacity,
      }))
      return { picture: boxOf(element.querySelector('img')), lines, opacity: getComputedStyle(element).opacity }
    }),
  )
  expect(boxes).toHaveLength(3)
  for (const [index, { picture, lines, opacity }] of boxes.entries()) {
    expect(opacity, `slide ${index}`).toBe('1')
    expect(picture.width, `slide ${index}`).toBeGreaterThan(150)
    expect(picture.left, `slide ${index}`).toBeGreaterThanOrEqual(boxes[index - 1]?.picture.right ?? 0)
    expect(lines, `slide ${index}`).toHaveLength(2)
    for (const line of lines) {
      expect(line.top, `slide ${index}`).toBeGreaterThanOrEqual(picture.bottom)
      expect(line.left, `slide ${index}`).toBeGreaterThanOrEqual(picture.left - 1)
      expect(line.right, `slide ${index}`).toBeLessThanOrEqual(picture.right + 1)
      expect(line.writing).toBe('horizontal-tb')
      expect([line.animation, line.opacity], `slide ${index}`).toEqual(['none', '1'])
    }
  }

  const scenes = page.getByRole('region', { name: '店の風景' }).locator('figure')
  await expect(scenes).toHaveCount(18)
  const getVisibleScenes = () =>
    scenes.evaluateAll((figures) =>
      figures
        .filter((figure) => figure.checkVisibility({ opacityProperty: true }))
        .map((figure) => ({ name: figure.textContent, right: figure.getBoundingClientRect().right })),
    )
  // The slider rebuilds its scenes after its start.
  await expect.poll(async () => new Set((await getVisibleScenes()).map(({ name }) => name)).size).toBe(6)
  const visibleScenes = await getVisibleScenes()
  expect(visibleScenes).toHaveLength(6)
  for (const { name, right } of visibleScenes) expect(right, `${name}`).toBeLessThanOrEqual(A4_WIDTH)
}

/** Asserts that the table of hours stays on one sheet, and that the current opening status is hidden. */
async function expectHoursWithoutStatus(page: Page) {
  const status = page.getByText(/^(?:本日|ただいま|まもなく)/)
  await expect(page.getByRole('table')).toHaveCSS('break-inside', 'avoid')
  await expect(page.getByRole('table')).toBeVisible()
  for (const each of await status.all()) await expect(each).toBeHidden()
  await page.emulateMedia({ media: 'screen' })
  await expect(status.first()).toBeVisible()
}

/** Asserts that the texts of a dark page have a dark colour. */
async function expectDarkTexts(page: Page) {
  for (const text of await page.locator('h1, header button, footer p, h1 + *').filter({ visible: true }).all()) {
    const [red = 255] = (await text.evaluate((element) => getComputedStyle(element).color)).match(/\d+/g) ?? []
    expect(Number(red), `${await text.textContent()}`).toBeLessThan(120)
  }
}
