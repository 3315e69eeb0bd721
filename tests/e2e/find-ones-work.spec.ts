import type { Page } from '@playwright/test'
import { createTestOnOwnSite } from './editors.ts'
import { createMember } from './forms-of-circle.ts'
import { delayRequests, desktop, expect, expectAccessible, open, openWithLiveUpdates, phone } from './visitors.ts'

/** A separate site, because the tests count its messages and members. */
const test = createTestOnOwnSite('site with work')
test.describe.configure({ mode: 'default' })

const getToolbar = (page: Page) => page.getByRole('navigation', { name: '管理メニュー' })
const getToolbarMenu = (page: Page) => getToolbar(page).locator('details')
const sendMessage = async (page: Page, subject: string) => {
  const data = { to: 'shop', subject, text: '五名で伺えますか。', from: 'hana@example.jp' }
  expect((await page.request.post('/api/mail', { data })).status()).toBe(200)
}

test('shows the whole toolbar on a phone, and closes the toolbar menu after use', async ({ owner }) => {
  const page = await owner({ viewport: { width: 320, height: 568 }, hasTouch: true })
  await open(page, '/dining')
  const bar = getToolbar(page)
  const more = bar.getByText('その他')
  const menu = getToolbarMenu(page).getByRole('list')
  for (const width of [320, phone.width, 700]) {
    await page.setViewportSize({ width, height: 568 })
    const boxes = await bar.locator('> ul > li > a, summary').evaluateAll((links) =>
      links.map((link) => {
        const { left, right, top, bottom, height } = link.getBoundingClientRect()
        const isInView = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight
        return { isInView, isWhole: link.scrollWidth <= link.clientWidth, isHigh: height >= 44 }
      }),
    )
    expect(boxes, `${width} px`).toEqual(Array(6).fill({ isInView: true, isWhole: true, isHigh: true }))
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
  await page.setViewportSize({ width: 320, height: 568 })
  await expect(menu).toBeHidden()
  await more.tap()
  for (const name of ['お店の情報', 'ページ', 'スタッフ', 'ごみ箱', '控え', 'アカウント'])
    await expect(menu.getByRole('link', { name })).toBeInViewport({ ratio: 1 })
  // A second tap on the menu button would hit a sign-out button at this position.
  await expect(menu.getByRole('button')).toHaveCount(0)
  const heights = await menu.locator('a, button').evaluateAll((all) => all.map((each) => each.clientHeight))
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(42)

  await page.getByRole('heading', { level: 1 }).tap()
  await expect(menu).toBeHidden()
  await more.tap()
  await more.tap()
  await expect(menu).toBeHidden()
  // Taps the link twice. At the second tap, the link leads to the current page.
  for (const _ of ['there', 'there still']) {
    await more.tap()
    await menu.getByRole('link', { name: 'ごみ箱' }).tap()
    await expect(page.getByRole('heading', { level: 1, name: 'ごみ箱' })).toBeVisible()
    await expect(menu).toBeHidden()
  }
  await more.tap()
  await expect(menu.getByRole('link', { name: 'ごみ箱' })).toHaveAttribute('aria-current', 'page')
})

test('opens and leaves the toolbar menu by keyboard', async ({ approved }) => {
  const page = await approved({ viewport: desktop })
  await open(page, '/dining')
  const bar = getToolbar(page)
  const menu = getToolbarMenu(page).getByRole('list')
  await expect(bar.getByRole('link')).toHaveText(['本日の営業', 'お料理', 'カレンダー'])
  await bar.getByRole('link', { name: 'カレンダー' }).focus()
  await page.keyboard.press('Tab')
  const summary = bar.locator('summary')
  await expect(summary).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(menu.getByRole('link', { name: 'お知らせ' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(summary).toBeFocused()
  await page.keyboard.press('Space')
  await expect(menu).toBeVisible()
  await page.keyboard.press('Shift+Tab')
  await expect(bar.getByRole('link', { name: 'カレンダー' })).toBeFocused()
  await expect(menu).toBeHidden()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  for (let link = 0; link < 3; link += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/account')
})

test('updates the toolbar badges on an open page when messages arrive or are read', async ({ owner, openPage }) => {
  const page = await owner({ viewport: phone })
  await openWithLiveUpdates(page, '/access')
  const getLink = (name: string) => getToolbar(page).getByRole('link', { name, exact: true })
  await expect(getLink('受信箱')).toBeVisible()
  const visitor = await openPage()
  await visitor.goto('/api/health')
  await sendMessage(visitor, '席のご相談')
  await expect(getLink('受信箱、未読1件')).toBeInViewport()
  await sendMessage(visitor, '駐車場のこと')
  await expect(getLink('受信箱、未読2件')).toBeInViewport()
  await expect(getLink('メンバー、承認待ち1名')).toBeVisible()
  await createMember(page)
  await expect(getLink('メンバー、承認待ち2名')).toBeInViewport()
  await getToolbar(page).getByText('その他').click()
  await expect(getToolbarMenu(page).getByRole('link', { name: 'ごみ箱' })).toBeVisible()
  await expectAccessible(page)

  await getLink('受信箱、未読2件').click()
  await expect(getLink('受信箱')).toBeVisible()
  await expect(page.getByRole('main').getByText('新着', { exact: true })).toHaveCount(2)
  await page.getByRole('listitem', { name: '駐車場のこと' }).getByRole('button', { name: '対応済みにする' }).click()
  await expect(page.getByRole('main').getByText('新着', { exact: true })).toHaveCount(1)
  // A message that arrives on an unattended page stays unread.
  await sendMessage(visitor, '器のこと')
  const lateMessage = page.getByRole('listitem', { name: '器のこと' })
  await expect(lateMessage.getByText('未読', { exact: true })).toBeVisible()
  await expect(getLink('受信箱、未読1件')).toBeVisible()
  await lateMessage.getByRole('button', { name: '既読にする' }).click()
  await expect(getLink('受信箱')).toBeVisible()

  const first = page.getByRole('listitem', { name: '席のご相談' })
  await first.getByRole('button', { name: '未読に戻す' }).click()
  await expect(first.getByRole('button', { name: '既読にする' })).toBeFocused()
  await expect(getLink('受信箱、未読1件')).toBeVisible()
  // The message is still unread when the owner returns.
  await getLink('お料理').click()
  await expect(page.getByRole('heading', { level: 1, name: 'お料理' })).toBeVisible()
  await getLink('受信箱、未読1件').click()
  await expect(first.getByText('未読', { exact: true })).toBeVisible()
  await expect(getLink('受信箱、未読1件')).toBeVisible()
})

test('leaves messages unread when the inbox is requested in the background or opened in a hidden tab', async ({
  owner,
  openPage,
}) => {
  const visitor = await openPage()
  await visitor.goto('/api/health')
  await sendMessage(visitor, '茶会のこと')
  const page = await owner({ viewport: desktop })
  await page.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => !Reflect.has(window, 'seen') })
  })
  await open(page, '/inbox')
  const message = page.getByRole('listitem', { name: '茶会のこと' })
  await page.request.get('/inbox')
  await page.reload()
  await expect(message.getByText('未読', { exact: true })).toBeVisible()
  await page.evaluate(() => {
    Reflect.set(window, 'seen', true)
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect(message.getByText('新着', { exact: true })).toBeVisible()
})

test('offers to mark a message unread while the page is marking the message read', async ({ owner, openPage }) => {
  const visitor = await openPage()
  await visitor.goto('/api/health')
  await sendMessage(visitor, '器の修理')
  const page = await owner({ viewport: desktop })
  const release = await delayRequests(page, /inbox\.data/)
  await open(page, '/inbox')
  const message = page.getByRole('listitem', { name: '器の修理' })
  await expect(message.getByText('新着', { exact: true })).toBeVisible()
  await expect(message.getByRole('button', { name: '既読にする' })).toHaveCount(0)
  await expect(message.getByRole('button', { name: '未読に戻す' })).toBeVisible()
  release()
})
