import type { Page } from '@playwright/test'
import { memberFieldNames } from '../../app/members/member.ts'
import { createTestOnOwnSite, signIn } from './editors.ts'
import { createMember } from './forms-of-circle.ts'
import { closeAlert, getMemberSteps } from './registering.ts'
import {
  delayRequests,
  desktop,
  expect,
  expectAccessible,
  getAnnouncement,
  getAnnouncements,
  open,
  phone,
} from './visitors.ts'

/** A separate site, because the tests change its members. */
const test = createTestOnOwnSite('circle to look after')

const member = (page: Page, name: string) => page.getByRole('article', { name })
const list = (page: Page) => page.getByRole('region', { name: /^メンバー/ })
const getListedMembers = (page: Page) => list(page).getByRole('article')
const notice = (page: Page) => page.locator('[data-notice=done]')
const isHeardOnce = (page: Page, sentence: string) => expect(getAnnouncement(page, sentence)).toHaveCount(1)

/** Asserts the last announcements of the page, after an event that would follow a repeated announcement. */
const expectAnnouncements = async (page: Page, sentences: string[]) =>
  expect(await getAnnouncements(page).allTextContents()).toEqual(sentences)

const APPROVED = '若葉 翔 さんを承認しました。通知メール：未送信（確認済みのメールアドレスがありません）。'

/** Undoes the approval on a desktop. Asserts one announcement and the focus. */
async function expectUndoOnDesktop(page: Page) {
  await page.setViewportSize(desktop)
  await notice(page).getByRole('button', { name: '元に戻す' }).press('Enter')
  await isHeardOnce(page, '元に戻しました。')
  await expect(notice(page).getByRole('button', { name: '元に戻す' })).toBeFocused()
  await expectAnnouncements(page, [APPROVED, '元に戻しました。'])
}

// The tests begin on a phone and end on a desktop.
test.describe.configure({ mode: 'serial' })

test('announces an approval in a visible notice with an undo button', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const card = member(page, '若葉 翔')
  await card.getByRole('button', { name: '承認する' }).press('Enter')
  await isHeardOnce(page, APPROVED)
  await expect(notice(page)).toBeInViewport({ ratio: 1 })
  await expect(card.getByRole('heading')).toBeFocused()

  await expectUndoOnDesktop(page)
  await expect(card.getByRole('button', { name: '承認する' })).toBeVisible()
})

test('announces an approval when the member leaves the waiting list', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist?awaiting')
  await member(page, '若葉 翔').getByRole('button', { name: '承認する' }).press('Enter')
  await expect(member(page, '若葉 翔')).toHaveCount(0)
  await expect(notice(page)).toBeInViewport({ ratio: 1 })
  await isHeardOnce(page, APPROVED)
  await expect(list(page).locator(':focus')).toHaveRole('heading')
  await expectAccessible(page)
  await expectUndoOnDesktop(page)
  await expect(member(page, '若葉 翔')).toBeVisible()
})

test('shows the reason of a denied action beside its button, which keeps the focus', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const card = member(page, '暖簾 結')
  await card.getByText('詳しく見る').click()
  for (const label of ['管理者から外す', '削除する']) {
    if (label === '削除する') await page.setViewportSize(desktop)
    await card.getByRole('button', { name: label }).press('Enter')
    if (label === '削除する') await page.getByRole('alertdialog').getByRole('button', { name: label }).press('Enter')
    await expect(card.locator('[data-notice=trouble]').last()).toBeInViewport()
    await expect(card.locator('[data-notice=trouble]').last()).toContainText('管理者がひとりもいなくなるため')
    await expect(card.getByRole('button', { name: label })).toBeFocused()
  }
})

test('announces the number of search results and keeps the focus', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const field = page.getByRole('searchbox', { name: '名前で探す' })
  await field.fill('翔')
  await field.press('Enter')
  await isHeardOnce(page, '1名見つかりました。')
  await expect(field).toBeFocused()
  await expect(getListedMembers(page)).toHaveCount(1)
  await page.setViewportSize(desktop)
  await field.fill('だれか')
  await page.getByRole('button', { name: '探す' }).press('Enter')
  await isHeardOnce(page, '「だれか」に合うメンバーは見つかりませんでした。')
  await expect(page.getByRole('button', { name: '探す' })).toBeFocused()
  await expectAnnouncements(page, ['1名見つかりました。', '「だれか」に合うメンバーは見つかりませんでした。'])
  await page.goBack()
  await expect(field).toHaveValue('翔')
  await expect(getListedMembers(page)).toHaveCount(1)
})

test('keeps letters that are typed while the search results load', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const field = page.getByRole('searchbox', { name: '名前で探す' })
  const release = await delayRequests(page, /memberlist\.data\?.*q=/)
  const searching = page.waitForRequest(/memberlist\.data\?.*q=/)
  await field.fill('若葉　')
  await field.press('Enter')
  await searching
  await field.pressSequentially('翔')
  release()
  await isHeardOnce(page, '1名見つかりました。')
  await expect(field).toHaveValue('若葉　翔')
  await expect(field).toBeFocused()
  await page.getByRole('link', { name: 'すべて表示する' }).click()
  await expect(field).toHaveValue('')
})

const stepNames = ['基本情報', '経験と道具', '強みと課題', '考え方', '趣味']

test('focuses the heading of each step, requires every field, and announces the registration once', async ({
  openPage,
  site,
}) => {
  const page = await openPage({ viewport: phone })
  await signIn('signedin', page, site)
  await open(page, '/membercreate')
  const next = page.getByRole('button', { name: '次へ' })
  await next.press('Enter')
  await isHeardOnce(page, 'すべての項目を入力してください')
  await expect(page.getByLabel('アカウント名')).toBeFocused()
  const steps = getMemberSteps('新芽 結', '桜井 花')
  for (const [index, fields] of steps.entries()) {
    await expect(page.locator('[aria-current=step]')).toContainText(String(index + 1))
    await expect(page).toHaveTitle(new RegExp(`^メンバー登録 ${index + 1}/5 ${stepNames[index]} \\|`))
    await expect(page.getByText('すべての項目をご記入ください。')).toHaveCount(1)
    await expect(
      page.locator('main input:not([type=hidden]):not([required]), main textarea:not([required])'),
    ).toHaveCount(0)
    if (index > 0) {
      await expect(page.getByRole('heading', { name: new RegExp(`ステップ${index + 1}／5`) })).toBeFocused()
      await expect(page.getByRole('heading', { name: new RegExp(`ステップ${index + 1}／5`) })).toBeInViewport()
    }
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
    if (index === 0) {
      await next.press('Enter')
      await closeAlert(page, 'そのアカウント名は既に存在します。変更してください')
      await expect(page.getByLabel('アカウント名')).toBeFocused()
      await page.getByLabel('アカウント名').fill('芽')
    }
    await page.getByRole('button', { name: index === steps.length - 1 ? '登録内容を確認する' : '次へ' }).press('Enter')
  }
  await expect(page).toHaveURL('/memberdetailconfirm')
  await expect(page).toHaveTitle(/^登録内容の確認 \|/)
  await expect(page.getByRole('main')).toBeFocused()

  await page.route('**/memberdetailconfirm.data*', (route) => route.abort())
  const register = page.getByRole('button', { name: '上記の内容で登録する' })
  await register.press('Enter')
  const failure = 'データの登録中にエラーが発生しました。詳細: 通信エラーが発生しました。'
  await isHeardOnce(page, `${failure}つながってから、もう一度お試しください。`)
  await expect(page.locator('[data-notice=trouble]')).toBeInViewport()
  await expect(register).toBeFocused()
  await page.unrouteAll()
  await register.press('Enter')
  await expect(page).toHaveURL('/memberlist')
  await isHeardOnce(page, 'メンバー登録を受け付けました。')
  await expect(notice(page)).toHaveCount(1)
  await expect(page.getByRole('main')).toBeFocused()
})

test('shows the changed draft instead of registering when another tab has changed the draft', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const first = await createMember(page, { registered: false })
  await open(page, '/memberdetailconfirm?for=nonmember')
  const table = page.getByRole('table', { name: '登録する内容' })
  await expect(table).toContainText(first)
  const second = await createMember(page, { registered: false })
  const register = page.getByRole('button', { name: '上記の内容で登録する' })
  await register.click()
  await expect(table).toContainText(second)
  await expect(table).not.toContainText(first)
  await isHeardOnce(
    page,
    'ほかの画面で入力した内容に変わっています。上の内容をご確認のうえ、もう一度登録してください。',
  )
  await expectAccessible(page)
  await register.click()
  await expect(page).toHaveURL(/\/memberlist/)
  await expect(list(page)).toContainText(second)
})

test('focuses the list heading on the next page of members', async ({ owner, site }) => {
  const page = await owner({ viewport: phone })
  await addMembers(page, site, 50)
  await open(page, '/memberlist')
  for (const viewport of [phone, desktop]) {
    await page.setViewportSize(viewport)
    await page.getByRole('link', { name: '次のページ' }).press('Enter')
    await expect(page).toHaveURL(/page=2/)
    const heading = page.getByRole('heading', { name: /^メンバー \d/ })
    await expect(heading).toBeFocused()
    await expect(heading).toBeInViewport()
    await expect(page.getByText('2 / 2ページ')).toBeVisible()
    await page.goBack()
    await expect(page).not.toHaveURL(/page=2/)
  }
})

async function addMembers(page: Page, site: string, count: number) {
  const sharedFields = Object.fromEntries(memberFieldNames.map((name) => [name === 'telNum' ? 'tel_num' : name, 'あ']))
  for (let number = 1; number <= count; number++) {
    const names = { username: `隣 ${number}`, accountname: `隣${number}`, email: 'typed@example.jp', admin: true }
    const response = await page.request.post(`${site}/api/collections/members`, {
      headers: { origin: site },
      data: { ...sharedFields, ...names },
    })
    expect(response.status()).toBe(201)
  }
}
