import type { Page } from '@playwright/test'
import { memberFieldNames } from '../../app/members/member.ts'
import { onOwnSite, signIn } from './editors.ts'
import { newMember } from './forms-of-circle.ts'
import { closeAlert, stepsOf } from './registering.ts'
import { axe, desk, expect, heard, open, phone } from './visitors.ts'

/** What one does here with members, nobody else sees. */
const test = onOwnSite('circle to look after')

/** A circle of more members than a page of the list has. */
const crowded = onOwnSite('crowded circle')

const member = (page: Page, name: string) => page.getByRole('article', { name })
const list = (page: Page) => page.getByRole('region', { name: /^メンバー/ })
const listed = (page: Page) => list(page).getByRole('article')
const notice = (page: Page) => page.locator('[data-notice=done]')
const isHeardOnce = (page: Page, sentence: string) => expect(heard(page, sentence)).toHaveCount(1)

const APPROVED = '若葉 翔 さんを承認しました。通知メール：未送信（確認済みのメールアドレスがありません）。'

/** Undoes the approval on a desk, and asserts that this is heard once and keeps the focus. */
async function isUndoneOnDesk(page: Page) {
  await page.setViewportSize(desk)
  await notice(page).getByRole('button', { name: '元に戻す' }).press('Enter')
  await isHeardOnce(page, '元に戻しました。')
  await expect(notice(page).getByRole('button', { name: '元に戻す' })).toBeFocused()
}

// Each is done on a phone, and ends on a desk.
test.describe.configure({ mode: 'serial' })

test('tells an approval at the foot of the screen, with its undo', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const card = member(page, '若葉 翔')
  await card.getByRole('button', { name: '承認する' }).press('Enter')
  await isHeardOnce(page, APPROVED)
  await expect(notice(page)).toBeInViewport({ ratio: 1 })
  await expect(card.getByRole('heading')).toBeFocused()
  await axe(page)

  await isUndoneOnDesk(page)
  await expect(card.getByRole('button', { name: '承認する' })).toBeVisible()
})

test('tells an approval at the foot when the member leaves the waiting list', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist?awaiting')
  await member(page, '若葉 翔').getByRole('button', { name: '承認する' }).press('Enter')
  await expect(member(page, '若葉 翔')).toHaveCount(0)
  await expect(notice(page)).toBeInViewport({ ratio: 1 })
  await isHeardOnce(page, APPROVED)
  await expect(list(page).locator(':focus')).toHaveRole('heading')
  await axe(page)
  await isUndoneOnDesk(page)
  await expect(member(page, '若葉 翔')).toBeVisible()
})

test('what cannot be done is said beside its button, which keeps the focus', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const card = member(page, '暖簾 結')
  await card.getByText('詳しく見る').click()
  for (const label of ['管理者から外す', '削除する']) {
    if (label === '削除する') await page.setViewportSize(desk)
    await card.getByRole('button', { name: label }).press('Enter')
    if (label === '削除する') await page.getByRole('alertdialog').getByRole('button', { name: label }).press('Enter')
    await expect(card.locator('[data-notice=trouble]').last()).toBeInViewport()
    await expect(card.locator('[data-notice=trouble]').last()).toContainText('管理者がひとりもいなくなるため')
    await expect(card.getByRole('button', { name: label })).toBeFocused()
  }
})

test('who is searched for is counted aloud, and the focus stays', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const field = page.getByRole('searchbox', { name: '名前で探す' })
  await field.fill('翔')
  await field.press('Enter')
  await isHeardOnce(page, '1名見つかりました。')
  await expect(field).toBeFocused()
  await expect(listed(page)).toHaveCount(1)
  await page.setViewportSize(desk)
  await field.fill('だれか')
  await page.getByRole('button', { name: '探す' }).press('Enter')
  await isHeardOnce(page, '「だれか」に合うメンバーは見つかりませんでした。')
  await expect(page.getByRole('button', { name: '探す' })).toBeFocused()
  await page.goBack()
  await expect(field).toHaveValue('翔')
  await expect(listed(page)).toHaveCount(1)
})

test('focuses the heading of each step, and tells the end once', async ({ openPage, site }) => {
  const page = await openPage({ viewport: phone })
  await signIn('signedin', page, site)
  await open(page, '/membercreate')
  const next = page.getByRole('button', { name: '次へ' })
  await next.press('Enter')
  await isHeardOnce(page, 'すべての項目を入力してください')
  await expect(page.getByLabel('アカウント名')).toBeFocused()
  const steps = stepsOf('新芽 結', '桜井 花')
  for (const [index, fields] of steps.entries()) {
    await expect(page.locator('[aria-current=step]')).toContainText(String(index + 1))
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
  await expect(page).toHaveURL('/memberlist?done=registered')
  await isHeardOnce(page, 'メンバー登録を受け付けました。')
  await expect(notice(page)).toHaveCount(1)
  await expect(page.getByRole('main')).toBeFocused()
})

crowded('the next page of the list begins at its heading', async ({ owner }) => {
  const page = await owner()
  await open(page, '/memberlist')
  await addMembers(page, 50)
  for (const viewport of [phone, desk]) {
    await page.setViewportSize(viewport)
    await open(page, '/memberlist')
    await page.getByRole('link', { name: '次のページ' }).press('Enter')
    await expect(page).toHaveURL(/page=2/)
    const heading = page.getByRole('heading', { name: /^メンバー \d/ })
    await expect(heading).toBeFocused()
    await expect(heading).toBeInViewport()
    await expect(page.getByText('2 / 2ページ')).toBeVisible()
  }
})

function addMembers(page: Page, count: number) {
  return page.evaluate(
    async ({ names, count }) => {
      const said = Object.fromEntries(names.map((name) => [name === 'telNum' ? 'tel_num' : name, 'あ']))
      for (let number = 1; number <= count; number++) {
        const own = { username: `隣 ${number}`, accountname: `隣${number}`, email: 'typed@example.jp', admin: true }
        const body = JSON.stringify({ ...said, ...own })
        const headers = { 'content-type': 'application/json' }
        const { status } = await fetch('/api/collections/members', { method: 'POST', headers, body })
        if (status !== 201) throw new Error(`${status}`)
      }
    },
    { names: memberFieldNames, count },
  )
}

test('shows a draft that has changed in another tab before registering it', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist')
  const first = await newMember(page, { registered: false })
  await open(page, '/memberdetailconfirm?for=nonmember')
  const table = page.getByRole('table', { name: '登録する内容' })
  await expect(table).toContainText(first)
  const second = await newMember(page, { registered: false })
  const register = page.getByRole('button', { name: '上記の内容で登録する' })
  await register.click()
  await expect(table).toContainText(second)
  await expect(table).not.toContainText(first)
  await isHeardOnce(
    page,
    'ほかの画面で入力した内容に変わっています。上の内容をご確認のうえ、もう一度登録してください。',
  )
  await axe(page)
  await register.click()
  await expect(page).toHaveURL(/\/memberlist/)
  await expect(list(page)).toContainText(second)
})
