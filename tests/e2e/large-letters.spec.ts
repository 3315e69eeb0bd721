import { test } from './editors.ts'
import { createEvent } from './forms-of-days.ts'
import { createMessage } from './forms-of-site.ts'
import { doubleTextSize, expectFitsAtDoubleTextSize, findOverflow, testedViewports } from './large-letters.ts'
import { expect, expectAccessible, expectAccessibleOnPhoneAndDesktop, navigate, open, phone } from './visitors.ts'

test('shows every editing page whole at 200 % text size and without axe violations', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  await createMessage(page, 1)
  for (const path of [
    '/membercreate/applicant',
    '/bussinessdays',
    '/bussinessdays?table=special',
    '/today',
    '/inbox',
    '/memberlist',
    '/site',
    '/dining/new/add',
    '/dining',
    '/pages',
    '/staff',
  ]) {
    await page.setViewportSize(phone)
    await open(page, path)
    // The lists of dishes and members have more columns on a desktop.
    if (['/dining', '/memberlist'].includes(path)) await expectAccessibleOnPhoneAndDesktop(page)
    else await expectAccessible(page)
    await expectFitsAtDoubleTextSize(page)
  }
})

test('shows the calendar dialogs whole at 200 % text size', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const { path } = await createEvent(page)
  for (const address of [path, '/calendar?pick']) {
    await page.setViewportSize(phone)
    await open(page, address)
    await expectAccessible(page)
    await doubleTextSize(page)
    const dialog = page.getByRole('dialog')
    for (const size of testedViewports) {
      await page.setViewportSize(size)
      await expect(dialog).toBeInViewport({ ratio: 1 })
      expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    }
  }
})

test('shows the phone menu and the month as a list at 200 % text size, and the month name clear of its links', async ({
  page,
}) => {
  await page.setViewportSize(phone)
  await open(page, '/')
  await doubleTextSize(page)
  await page.getByRole('button', { name: 'メニューを開く' }).click()
  await expect(page.locator('#navigation a').first()).toBeVisible()
  expect(await page.evaluate(findOverflow)).toEqual({ wider: 0, outside: [], overlapping: [] })

  await navigate(page, '/calendar?month=2026-11')
  const cells = page.locator('td[data-day]')
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

  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'))
  await page.setViewportSize({ width: 320, height: 640 })
  const under = await page.evaluate(() => {
    const range = document.createRange()
    range.selectNodeContents(document.querySelector('h1') as Element)
    const name = range.getBoundingClientRect()
    const links = [...document.querySelectorAll('main a[aria-label]')]
    return {
      links: links.length,
      covered: links.filter((step) => {
        const { left, right, top, bottom } = step.getBoundingClientRect()
        return left < name.right && right > name.left && top < name.bottom && bottom > name.top
      }).length,
    }
  })
  expect(under.covered).toBe(0)
  expect(under.links).toBeGreaterThan(1)
})

test('gives event titles enough width at 320 px and 200 % text size', async ({ owner }) => {
  const page = await owner()
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto('/api/health')
  const { event } = await createEvent(page, { title: '利き酒と季節の小鉢の会' })
  await open(page, `/calendar?month=${event.day.slice(0, 7)}&day=${event.day}`)
  await doubleTextSize(page)
  const title = page.locator('#day').getByText(event.title)
  expect(await title.evaluate((element) => element.getClientRects().length)).toBe(1)
  expect(
    await title.evaluate((element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight)),
  ).toBeLessThan(3)
})
