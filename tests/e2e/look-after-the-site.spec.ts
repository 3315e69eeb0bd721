import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { NO_CONNECTION } from '../../app/forms/save-result.ts'
import { test } from './editors.ts'
import { post } from './forms.ts'
import { signUpAccount } from './forms-of-accounts.ts'
import { createEvent } from './forms-of-days.ts'
import { readSectionSettings } from './forms-of-site.ts'
import { password } from './registering.ts'
import { desktop, expect, expectAccessible, getAnnouncement, getNotice, open, phone } from './visitors.ts'

// All pages have the same options, so that they share pooled contexts.
test.use({ viewport: phone, hasTouch: true })

const getDoneNotice = (page: Page, text: string | RegExp) =>
  page.locator('[data-notice=done]').filter({ hasText: text })

/** Saves a section of the settings as another administrator, who has just opened the form. */
async function saveSectionAsOther(page: Page, section: 'words' | 'guide', changes: Record<string, string>) {
  await post(page, '/site', { ...(await readSectionSettings(page, section)), ...changes }, { cookie: 'as=owner2' })
}

test('announces a save of the shop name once, and updates an open page after the save and its revert', async ({
  owner,
  openPage,
}) => {
  const visitor = await openPage()
  await open(visitor, '/infomation')
  const footer = visitor.getByRole('contentinfo')
  await expect(footer).toContainText('ダイニング結')

  const page = await owner()
  await open(page, '/site')
  const name = page.getByRole('textbox', { name: '店名' })
  const save = page.getByRole('button', { name: '店名と印を保存する' })
  await name.fill('　')
  await save.press('Enter')
  await expect(page.getByText('店名を入力してください')).toBeVisible()
  await expect(name).toBeFocused()
  await name.fill('食事処むすび')
  await save.press('Enter')
  await expect(getAnnouncement(page, '保存しました。前の内容には、下の「変更履歴」から戻せます。')).toHaveCount(1)
  await expect(getDoneNotice(page, '保存しました')).toBeInViewport({ ratio: 1 })
  await expect(save).toBeFocused()
  await expect(footer).toContainText('食事処むすび')
  await save.press('Enter')
  await expect(getAnnouncement(page, '変更はありませんでした。')).toHaveCount(1)
  await expect(save).toBeFocused()

  await page.getByText('変更履歴', { exact: true }).click()
  await page
    .getByRole('button', { name: /^この時点に戻す/ })
    .first()
    .click()
  await expect(name).toHaveValue('ダイニング結')
  await expect(footer).toContainText('ダイニング結')
})

test('removes the sample content with one tap, and restores the content with another tap', async ({
  owner,
  openPage,
}) => {
  const visitor = await openPage()
  await open(visitor, '/')
  const page = await owner()
  await open(page, '/today')
  await expect(page.getByText(/^見本の内容が\d+件残っています。/)).toBeVisible()
  await page.getByRole('button', { name: '見本の内容をまとめて削除する' }).tap()
  const done = page.locator('[data-notice=done]').filter({ hasText: /^見本の内容を\d+件削除しました。/ })
  await expect(done).toBeInViewport()
  await expect(page.getByText(/^見本の内容が\d+件残っています。/)).toHaveCount(0)
  // Without a name and images, home shows only the remaining data.
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('お店')
  await expectAccessible(visitor)
  await done.getByRole('button', { name: '元に戻す' }).tap()
  await expect(page.getByText(/^見本の内容が\d+件残っています。/)).toBeVisible()
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('ダイニング結')
})

test('merges the changes of two open forms, and keeps the input of a conflicting field', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  const seats = page.getByLabel('お席', { exact: true })
  const save = page.getByRole('button', { name: 'ご案内を保存する' })
  await seats.fill('カウンター10席')
  await saveSectionAsOther(page, 'guide', { payment: '現金だけ' })
  await save.click()
  await expect(getDoneNotice(page, '保存しました')).toBeVisible()
  await expect(seats).toHaveValue('カウンター10席')
  await expect(page.getByLabel('お支払い')).toHaveValue('現金だけ')
  const merged = { seats: 'カウンター10席', payment: '現金だけ' }
  expect(await readSectionSettings(page, 'guide')).toMatchObject(merged)

  await seats.fill('カウンター6席')
  await saveSectionAsOther(page, 'guide', { seats: 'カウンター12席' })
  await save.click()
  await expect(page.getByText('現在の内容カウンター12席')).toBeVisible()
  await expect(seats).toHaveValue('カウンター6席')
  await expectAccessible(page)
  expect(await readSectionSettings(page, 'guide')).toMatchObject({ seats: 'カウンター12席' })
  await save.click()
  await expect(getDoneNotice(page, '保存しました')).toBeVisible()
  expect(await readSectionSettings(page, 'guide')).toMatchObject({ seats: 'カウンター6席' })
})

test('keeps the input of one section while another section is saved', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  const [seats, address] = [page.getByLabel('お席', { exact: true }), page.getByRole('textbox', { name: '住所' })]
  await page.getByRole('navigation', { name: 'この画面の項目' }).getByRole('link', { name: 'ご案内' }).click()
  await expect(page.getByRole('region', { name: 'ご案内' })).toBeInViewport()
  await seats.fill('小上がり一つ')
  await address.fill('京都市左京区')
  const saveLocation = page.getByRole('button', { name: '場所と電話を保存する' })
  await saveLocation.click()
  const locationSection = page.getByRole('region', { name: '場所と電話' })
  await expect(getNotice(locationSection, '保存しました。')).toBeInViewport({ ratio: 1 })
  await expect(page.locator('[data-notice=done]')).toHaveCount(1)
  await expect(page.getByRole('contentinfo')).toContainText('京都市左京区')
  await expect(seats).toHaveValue('小上がり一つ')

  // The focus stays in a field while another editor saves another section.
  await address.focus()
  await saveSectionAsOther(page, 'words', { description: '本日は貸切です' })
  await expect(page.getByRole('textbox', { name: 'お店の紹介' })).toHaveValue('本日は貸切です')
  await expect(address).toBeFocused()
  await expect(seats).toHaveValue('小上がり一つ')

  const inboxLink = page.getByRole('navigation', { name: '管理メニュー' }).getByRole('link', { name: '受信箱' })
  await inboxLink.click()
  const question = page.getByRole('alertdialog', {
    name: '「ご案内」に、まだ保存していないところがあります。この画面を離れますか？',
  })
  await expectAccessible(page)
  await question.getByRole('button', { name: 'やめる' }).click()
  await expect(seats).toHaveValue('小上がり一つ')
  // Moving within the page needs no prompt.
  await page.getByText('変更履歴', { exact: true }).click()
  await page.getByRole('navigation', { name: 'この画面の項目' }).getByRole('link', { name: '編集の設定' }).click()
  await expect(question).toBeHidden()
  await page.getByRole('button', { name: 'ご案内を保存する' }).click()
  await expect(getNotice(page.getByRole('region', { name: 'ご案内' }), '保存しました。')).toBeInViewport({ ratio: 1 })
  await inboxLink.click()
  await expect(page.getByRole('heading', { name: '受信箱' })).toBeVisible()
})

test('keeps the input when the URL of a link is incomplete, the site is unreachable or its proxy returns 502', async ({
  owner,
}) => {
  const page = await owner()
  await open(page, '/site')
  const introduction = page.getByRole('textbox', { name: 'お店の紹介' })
  await introduction.fill('年末は30日まで')
  const save = page.getByRole('button', { name: '紹介とお知らせを保存する' })
  const errorNotice = page.locator('[data-notice=trouble]').filter({ hasText: NO_CONNECTION })
  await page.route('**/site.data*', (route) => route.abort())
  await save.click()
  await expect(errorNotice).toBeVisible()
  await page.unrouteAll()
  await page.route('**/site.data*', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<p>502' }))
  const badGateway = page.waitForResponse((response) => response.status() === 502)
  await save.click()
  await badGateway
  await expect(errorNotice).toBeVisible()
  await expect(introduction).toHaveValue('年末は30日まで')
  await page.unrouteAll()
  await save.click()
  await expect(getDoneNotice(page, '保存しました')).toBeVisible()

  await page.getByRole('textbox', { name: '1つめの名前' }).fill('予約')
  const address = page.getByRole('textbox', { name: '1つめのアドレス' })
  await address.fill('example.jp/yoyaku')
  await address.press('Enter')
  await expect(address).toHaveAccessibleDescription(/「https:\/\/example\.jp\/yoyaku」ではありませんか/)
  await expect(address).toBeFocused()
  await expect(address).toHaveValue('example.jp/yoyaku')
})

test('reverts, deletes and restores an event, and announces each restore once', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const { path, event } = await createEvent(page, { title: '月見の会' })
  const day = event.day
  const title = `月見の会（${day.replace(/^(\d+)-0?(\d+)-0?(\d+)$/, '$1年$2月$3日')}）`
  await open(page, `${path}&day=${day}`)
  const panel = page.locator('#day')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: '編集する' }).click()
  await dialog.getByLabel('タイトル').fill('星見の会')
  await dialog.getByRole('button', { name: '保存する' }).click()
  await expect(panel.getByRole('link', { name: /星見の会/ })).toBeVisible()

  await panel.getByRole('link', { name: /星見の会/ }).click()
  await dialog.getByRole('button', { name: '編集する' }).click()
  await dialog.getByText('変更履歴').click()
  await expect(dialog.getByRole('deletion')).toContainText('月見の会')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: /^この時点に戻す/ }).click()
  await expect(panel.getByRole('link', { name: /月見の会/ })).toBeVisible()

  await panel.getByRole('link', { name: /月見の会/ }).click()
  await dialog.getByRole('button', { name: '削除する' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: '削除する' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: '閉じる' }).click()
  await expect(panel.getByRole('link', { name: /月見の会/ })).toHaveCount(0)

  const bar = page.getByRole('navigation', { name: '管理メニュー' })
  await bar.getByText('その他').click()
  await bar.getByRole('link', { name: 'ごみ箱' }).click()
  await page.setViewportSize(desktop)
  const restore = page.getByRole('button', { name: `「${title}」を元に戻す` })
  const entry = page.getByRole('listitem').filter({ has: restore })
  await expect(entry).toContainText(title)
  await page.route('**/bin.data', (route) => route.abort())
  await restore.press('Enter')
  await expect(entry.locator('[data-notice=trouble]')).toHaveText(NO_CONNECTION)
  await expect(getAnnouncement(page, NO_CONNECTION)).toHaveCount(1)
  await expect(restore).toBeFocused()
  await page.unrouteAll()
  await expectAccessible(page)
  await restore.press('Enter')
  await expect(restore).toHaveCount(0)
  await expect(getAnnouncement(page, `「${title}」を元に戻しました。`)).toHaveCount(1)
  await expect(page.locator('[data-notice=done]')).toHaveText(new RegExp(`「${title}」を元に戻しました。`))
  await expect(page.locator('[data-notice=done]')).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('heading', { name: 'ごみ箱' })).toBeFocused()
  await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: title })).toHaveCount(0)
  expect(await (await page.request.get(path)).text()).toContain('月見の会')
})

test('downloads a backup on a phone and shows when it is complete', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  await signUpAccount(page)
  const today = await (await page.request.get('/today')).text()
  expect(today).toMatch(/<a [^>]*href="\/backup"[^>]*>控えをダウンロード<\/a>/)
  await open(page, '/backup')
  await expect(page.getByText('まだありません。')).toBeVisible()
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

  await page.getByLabel('現在のパスワード').fill(password)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: '控えをダウンロード' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^127\.0\.0\.1-\d{8}-\d{6}\.noren$/)
  expect((await readFile(await download.path(), 'latin1')).slice(0, 17)).toBe('{"noren":"backup"')
  // The server has reported that the last byte was sent, so the page shows that the download is complete.
  await expect(getNotice(page, '控えをお渡ししました。')).toBeInViewport()
  await expect(page.getByText(/のもの（ダウンロード）$/)).toBeVisible()
  await expect(page.getByText('始まらないときは')).toHaveCount(0)
  await expect(page.getByLabel('現在のパスワード')).toHaveValue('')
  await expect(page).toHaveURL('/backup')
})
