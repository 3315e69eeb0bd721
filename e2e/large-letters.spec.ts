import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { newEvent } from './forms-of-days.ts'
import { desk, expect, open, phone } from './visitors.ts'

test.slow()

const sizes = [phone, { width: 1280, height: 800 }]
const forGuests = ['/', '/infomation', '/dining', '/access', '/calendar', '/videoproduction', '/tennisrelated', '/mail']
const forOwner = [
  '/membercreate/applicant',
  '/bussinessdays',
  '/bussinessdays?table=special',
  '/today',
  '/inbox',
  '/memberlist',
  '/site',
  '/dining/new/add',
]

for (const size of sizes)
  test(`with letters of 200 % nothing is cut off, and nothing lies on the menu, at ${size.width} px`, async ({
    page: guest,
    owner,
  }) => {
    const someone = await owner()
    for (const page of [guest, someone]) {
      await page.setViewportSize(size)
      for (const path of page === guest ? forGuests : forOwner) {
        await open(page, path)
        await enlarge(page)
        expect({ path, ...(await page.evaluate(whatIsCut)) }).toEqual({ path, wider: 0, outside: [], overlapping: [] })
      }
    }
    if (size !== phone) return
    await guest.getByRole('button', { name: 'メニューを開く' }).click()
    await expect(guest.locator('#navigation a').first()).toBeVisible()
    expect(await guest.evaluate(whatIsCut)).toEqual({ wider: 0, outside: [], overlapping: [] })
  })

test('with letters of 200 % the dialogs of the calendar are read whole', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const { path } = await newEvent(page)
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const address of [path, '/calendar?pick']) {
      await open(page, address)
      await enlarge(page)
      const dialog = page.getByRole('dialog')
      await expect(dialog).toBeInViewport({ ratio: 1 })
      expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    }
  }
})

test('on a phone with letters of 200 % a month is a list of its days, walked as the month is', async ({ page }) => {
  await page.setViewportSize(phone)
  await open(page, '/calendar?month=2026-11')
  await enlarge(page)
  const cells = page.locator('[role=gridcell][data-day]')
  expect(await cells.first().evaluate((element) => element.clientWidth)).toBeGreaterThan(350)
  expect((await page.locator('[data-day="2026-11-24"] > div').innerText()).split(/\s+/)).toEqual(['24', '定休日'])
  expect(
    await page
      .locator('[data-day="2026-11-24"] [data-mincho]')
      .evaluate((element) => getComputedStyle(element, '::after').content),
  ).toBe('"（火）"')
  await page.getByRole('gridcell', { name: '11月24日' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('gridcell', { name: /^12月1日/ })).toBeFocused()
})

test("at 320 px the month's name does not run under the ways to other months", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await open(page, '/calendar?month=2026-11')
  const under = await page.evaluate(() => {
    const range = document.createRange()
    range.selectNodeContents(document.querySelector('h1') as Element)
    const name = range.getBoundingClientRect()
    return [...document.querySelectorAll('main a[aria-label]')].filter((step) => {
      const { left, right, top, bottom } = step.getBoundingClientRect()
      return left < name.right && right > name.left && top < name.bottom && bottom > name.top
    }).length
  })
  expect(under).toBe(0)
})

test('what is pressed is 24 px high and wide, or has as much room around it', async ({ page: guest, owner }) => {
  const someone = await owner()
  await someone.goto('/api/health')
  const { path } = await newEvent(someone)
  for (const size of [phone, desk])
    for (const page of [guest, someone]) {
      await page.setViewportSize(size)
      const more = ['/emaillogin', '/signupform', '/privacy', '/calendar?pick', path, path.replace(/&.*/, '')]
      for (const address of page === guest ? [...forGuests, ...more] : [...forOwner, '/dining', '/pages', '/staff']) {
        await open(page, address)
        expect({ address, small: await page.evaluate(smallTargets) }).toEqual({ address, small: [] })
      }
    }
  await open(guest, path.replace(/&.*/, ''))
  const heights = await guest
    .locator('[role=gridcell] a[title]')
    .evaluateAll((links) => links.map((link) => (link as HTMLElement).offsetHeight))
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(24)
})

/** As who has asked the browser for letters of twice the size. */
function enlarge(page: Page) {
  return page.evaluate(() => {
    document.documentElement.style.setProperty('font-size', '200%')
  })
}

/** What of the page is beyond the window's edges or its own, and what of the header lies on one another. */
function whatIsCut() {
  const width = document.documentElement.clientWidth
  const isSeen = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    getComputedStyle(element).clipPath === 'none' &&
    !element.closest('.swiper, .visually-hidden, .skip-link')
  const hasText = ({ childNodes }: Element) =>
    [...childNodes].some(({ nodeName, textContent }) => nodeName === '#text' && textContent?.trim())
  const outside = [...document.querySelectorAll('body *')].filter((element) => {
    if (!isSeen(element) || !(hasText(element) || element.matches('a, button, input, select, textarea, img')))
      return false
    const { left, right } = element.getBoundingClientRect()
    const cut =
      getComputedStyle(element).overflowX !== 'visible' &&
      element.scrollWidth > element.clientWidth + 2 &&
      !element.matches('select, input, textarea')
    return left < -1 || right > width + 1 || cut
  })
  const controls = [...document.querySelectorAll('header a, header button')].filter(isSeen)
  const overlapping = controls.filter((one, index) =>
    controls.slice(index + 1).some((other) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
      return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
    }),
  )
  const named = (elements: Element[]) => elements.map(({ tagName, textContent }) => `${tagName} ${textContent}`)
  return {
    wider: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    outside: named(outside),
    overlapping: named(overlapping),
  }
}

/** What can be pressed and is smaller than WCAG 2.2 says (2.5.8): but for links within a sentence, and where a circle of 24 px around it touches no other. */
function smallTargets() {
  const least = 24
  const shown = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      getComputedStyle(element).clipPath === 'none' &&
      element.offsetWidth > 1 &&
      !element.closest('[aria-hidden=true]:not([role=gridcell] *), .swiper-slide:not(.swiper-slide-active)'),
  )
  const targets = shown.map((element) => {
    const label = element.matches('[type=checkbox], [type=radio]') && (element as HTMLInputElement).labels?.[0]
    return { element, box: (label || element).getBoundingClientRect() }
  })
  const small = ({ box }: (typeof targets)[number]) => box.width < least - 0.1 || box.height < least - 0.1
  const middleOf = ({ x, y, width, height }: DOMRect) => [x + width / 2, y + height / 2] as const
  return targets
    .filter(small)
    .filter(({ element, box }) => {
      const around = element.parentElement?.textContent?.trim() ?? ''
      if (getComputedStyle(element).display === 'inline' && around !== element.textContent?.trim()) return false
      const [x, y] = middleOf(box)
      return targets.some((other) => {
        if (other.element === element || other.element.contains(element) || element.contains(other.element))
          return false
        if (small(other)) {
          const [otherX, otherY] = middleOf(other.box)
          return Math.hypot(otherX - x, otherY - y) < least
        }
        const { left, right, top, bottom } = other.box
        return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)) < least / 2
      })
    })
    .map(({ element, box }) => `${box.width}x${box.height} ${element.outerHTML.slice(0, 120)}`)
}
