import type { Locator, Page } from '@playwright/test'
import { dayInJapan } from '../../app/dates/japan.ts'
import { noSlots } from '../../app/hours/business-day.ts'
import { saveSpecialDays } from '../../app/hours/business-days.server.ts'
import type { OwnPageId } from '../../app/pages/own-page.ts'
import { PageSettings } from '../../app/pages/page.ts'
import { addPage } from '../../app/pages/pages.server.ts'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import type { SiteSettings } from '../../app/settings/site.ts'
import type { Db } from '../../db/tables.ts'
import { author, showNotices, test } from './site-with-data.ts'
import { desktop, expect, openHydrated, openWithLiveUpdates, phone } from './visitors.ts'

// All tests share one site, in one worker.
test.describe.configure({ mode: 'default' })
const widths = [320, 390, 768, 1024, 1440, 1920]
const heightAt = (width: number) => ({ 320: 640, 390: 844, 768: 1024, 1024: 768, 1440: 900, 1920: 1080 })[width] ?? 900

async function change(db: Db, facts: Partial<SiteSettings>) {
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts }, author())
}

const today = () => dayInJapan(Date.now())

test.afterEach(async ({ db }) => {
  await change(db, { links: [] })
  await showNotices(db)
})

const short = '11月30日（月）は、貸切のためお休みします。'
const long = '年末年始は休まず営業いたします。おせちのご予約も承ります。'.repeat(20).slice(0, 500)
const story = (page: Page) => page.getByRole('region', { name: '店の物語' })
const notice = (page: Page) => story(page).locator('div:has(> p > b:text-is("お知らせ"))')
const getOpeningStatus = (page: Page) =>
  story(page)
    .getByText(/^(?:本日|ただいま|まもなく|次の|明日)/)
    .first()

// The title of /municipalarchitect is the longest one of the dark pages.
test('keeps the pause button of the film on a page clear of other content', async ({ page }) => {
  for (const path of ['/infomation', '/videoproduction', '/municipalarchitect', '/tennisrelated']) {
    await openHydrated(page, path)
    for (const width of widths) {
      await page.setViewportSize({ width, height: heightAt(width) })
      expect(await findCovered(page, '[aria-label$=を動かす]'), `${path}, ${width} px wide`).toEqual([])
    }
  }
})

const firstViews = [phone, { width: 360, height: 640 }, desktop]

test('shows the notice and the opening status without scrolling, clear of the slideshow controls', async ({
  page,
  db,
}) => {
  await openWithLiveUpdates(page, '/')
  await expect(notice(page)).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'お知らせ' })).toHaveCount(0)
  await expectNothingCovered(page, 'no notice')

  // The open page receives each change as a live update.
  await showNotices(db, { text: short, place: 'home' })
  await expect(notice(page)).toContainText(short)
  for (const view of firstViews) {
    await page.setViewportSize(view)
    await page.evaluate(() => scrollTo(0, 0))
    await expectInView(page, notice(page), view)
    await expectInView(page, getOpeningStatus(page), view)
  }
  await expect(notice(page).getByRole('link')).toHaveCount(0)
  await expectNothingCovered(page, 'a short notice')

  await showNotices(db, { text: long, place: 'home' })
  await expect(notice(page)).toContainText('おせち')
  for (const view of firstViews) {
    await page.setViewportSize(view)
    await page.evaluate(() => scrollTo(0, 0))
    for (const part of [notice(page), notice(page).getByRole('link'), getOpeningStatus(page)])
      await expectInView(page, part, view)
    expect((await getBox(notice(page))).height).toBeLessThanOrEqual(120)
  }

  const reason = '近くの神社のお祭りのお手伝いのため臨時休業'
  await saveSpecialDays(db, { days: [today()], reason, slots: noSlots }, new Map(), author())
  await expect(story(page)).toContainText(reason)
  await expectNothingCovered(page, 'a long notice and a long closing reason')

  await showNotices(db)
  await expect(notice(page)).toHaveCount(0)
})

/** Asserts that the slideshow controls and the cards on the slideshow cover no content, at each width and slide. */
async function expectNothingCovered(page: Page, state: string) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: heightAt(width) })
    for (const number of [1, 2, 3]) {
      await story(page)
        .getByRole('button', { name: `${number}枚目を見る` })
        .dispatchEvent('click')
      const slide = page.getByRole('group', { name: `3枚中${number}枚目` })
      await expect(slide).not.toHaveAttribute('inert')
      // The slides follow a change of the viewport after a moment.
      await expect.poll(() => slide.boundingBox()).toEqual(await getBox(story(page)))
      const coveredTexts = await findCovered(page, '[aria-label$=を動かす], [class*=slideshow_board] > *')
      expect(coveredTexts, `${state}, ${width} px wide, slide ${number}`).toEqual([])
    }
  }
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('links a shortened notice to its full text', async ({ page, db }) => {
    await page.setViewportSize(phone)
    await showNotices(db, { text: long, place: 'home' })
    // The site detects a change by another process within 250 ms.
    await expect.poll(async () => (await page.request.get('/')).text()).toContain(long)
    await page.goto('/')
    const whole = page.getByRole('region', { name: 'お知らせ' })
    await expect(whole).toContainText(long)
    await expect(whole).not.toBeInViewport()
    await notice(page).getByRole('link', { name: 'お知らせの続きを読む' }).click()
    await expect(whole).toBeInViewport()
  })
})

test('fits the footer on one phone screen with links at least 44 px high', async ({ page, db }) => {
  const pages = Array.from({ length: 6 }, (_, index) => `おせちのご予約 ${index + 1}`)
  for (const [index, title] of pages.entries()) {
    const facts = PageSettings.parse({ title, label: title, order: 20 + index })
    await addPage(db, `p-osechi${index}` as OwnPageId, facts, author())
  }
  const links = ['インスタグラム', 'ご予約', '食べ歩きの地図', '動画'].map((name) => ({
    name,
    url: `https://example.jp/${encodeURIComponent(name)}`,
  }))
  await change(db, { links })
  // The site detects a change by another process within 250 ms.
  await expect.poll(async () => (await page.request.get('/dining')).text()).toContain(links.at(-1)?.url)
  await page.goto('/dining')
  const footer = page.getByRole('contentinfo')
  await expect(footer.getByRole('link')).toHaveCount(10 + pages.length + links.length + 1)
  for (const view of [phone, { width: 360, height: 640 }]) {
    await page.setViewportSize(view)
    expect((await getBox(footer)).height).toBeLessThanOrEqual(view.height)
    const heights = await footer
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getBoundingClientRect().height))
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
  }
})

async function getBox(part: Locator) {
  const box = await part.boundingBox()
  expect(box).not.toBeNull()
  return box ?? { x: 0, y: 0, width: 0, height: 0 }
}

/** Asserts that the element is inside the viewport and that the page is not scrolled. */
async function expectInView(page: Page, part: Locator, { width, height }: { width: number; height: number }) {
  expect(await page.evaluate(() => scrollY)).toBe(0)
  const box = await getBox(part)
  expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0)
  expect(box.x + box.width).toBeLessThanOrEqual(width)
  expect(box.y + box.height).toBeLessThanOrEqual(height)
}

/** Returns the contents of all texts, controls and cards that overlap an element that matches `over`. */
function findCovered(page: Page, over: string) {
  return page.evaluate((selector) => {
    const isShown = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('[inert]')
    // A clipped part of an element is not visible, so the clipped part covers nothing.
    const clipToVisible = (element: Element, { left, top, right, bottom }: DOMRect) => {
      const visible = { left, top, right, bottom }
      for (let each: Element | null = element; each && each !== document.body; each = each.parentElement) {
        if (getComputedStyle(each).overflow === 'visible') continue
        const box = each.getBoundingClientRect()
        visible.left = Math.max(visible.left, box.left)
        visible.top = Math.max(visible.top, box.top)
        visible.right = Math.min(visible.right, box.right)
        visible.bottom = Math.min(visible.bottom, box.bottom)
      }
      return visible
    }
    const visibleParts: { part: Element; box: ReturnType<typeof clipToVisible>; text: string }[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const part = node.parentElement
      if (!part || !node.textContent?.trim() || !isShown(part) || part.closest('.visually-hidden')) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const rect of range.getClientRects())
        visibleParts.push({ part, box: clipToVisible(part, rect), text: node.textContent })
    }
    for (const part of document.querySelectorAll('a, button, article, [class*=plate]'))
      if (isShown(part))
        visibleParts.push({ part, box: part.getBoundingClientRect(), text: part.textContent || part.ariaLabel || '' })
    const covering = [...document.querySelectorAll(selector)].filter(isShown)
    if (covering.length === 0) return [`no element matches ${selector}`]
    return covering.flatMap((element) => {
      const coveringBox = element.getBoundingClientRect()
      const covered = visibleParts.filter(
        ({ part, box }) =>
          !element.contains(part) &&
          !part.contains(element) &&
          box.left < box.right &&
          box.top < box.bottom &&
          coveringBox.left < box.right &&
          box.left < coveringBox.right &&
          coveringBox.top < box.bottom &&
          box.top < coveringBox.bottom,
      )
      return covered.map(({ text }) => `${element.textContent || element.ariaLabel}: ${text}`.slice(0, 60))
    })
  }, over)
}
