import { readFile } from 'node:fs/promises'
import { NO_CONNECTION } from '../../app/forms/save-result.ts'
import { test } from './editors.ts'
import { signUpAccount } from './forms-of-accounts.ts'
import { password } from './registering.ts'
import {
  desktop,
  expect,
  expectAccessible,
  expectAccessibleOnPhoneAndDesktop,
  getAnnouncement,
  getNotice,
  open,
  phone,
  pressAndRead,
} from './visitors.ts'

test('updates an open page when the shop name is changed or reverted', async ({ owner, openPage }) => {
  const visitor = await openPage()
  await open(visitor, '/infomation')
  const footer = visitor.getByRole('contentinfo')
  await expect(footer).toContainText('ダイニング結')

  const page = await owner({ viewport: phone })
  await open(page, '/')
  const bar = page.getByRole('navigation', { name: '管理メニュー' })
  await bar.getByText('その他').click()
  await bar.getByRole('link', { name: 'お店の情報' }).click()
  await expect(page.getByRole('heading', { name: 'お店の情報' })).toBeVisible()
  await expectAccessible(page)

  const name = page.getByRole('textbox', { name: '店名' })
  const save = page.getByRole('button', { name: '店名と印を保存する' })
  await name.fill('　')
  await save.click()
  await expect(page.getByText('店名を入力してください')).toBeVisible()
  await expect(name).toBeFocused()
  await name.fill('食事処むすび')
  await save.click()
  await expect(page.locator('[data-notice=done]').filter({ hasText: '保存しました' })).toBeInViewport()
  await expect(footer).toContainText('食事処むすび')

  await page.getByText('変更履歴', { exact: true }).click()
  await expectAccessible(page)
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
  const page = await owner({ viewport: phone, hasTouch: true })
  await open(page, '/today')
  await expect(page.getByText(/^見本の内容が\d+件残っています。/)).toBeVisible()
  await expectAccessible(page)
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
  const [one, other] = [await owner(), await owner({ viewport: phone })]
  await open(one, '/site')
  await open(other, '/site')
  await other.getByLabel('お席').fill('カウンター10席')
  await one.getByLabel('お支払い').fill('現金だけ')
  await one.getByRole('button', { name: 'ご案内を保存する' }).click()
  await expect(one.locator('[data-notice=done]').filter({ hasText: '保存しました' })).toBeVisible()
  await other.getByRole('button', { name: 'ご案内を保存する' }).click()
  await expect(other.locator('[data-notice=done]').filter({ hasText: '保存しました' })).toBeVisible()
  for (const page of [one, other]) {
    await page.bringToFront()
    await expect(page.getByLabel('お席')).toHaveValue('カウンター10席')
    await expect(page.getByLabel('お支払い')).toHaveValue('現金だけ')
  }

  await one.bringToFront()
  await one.getByLabel('お席').fill('カウンター12席')
  await other.getByLabel('お席').fill('カウンター6席')
  await one.getByRole('button', { name: 'ご案内を保存する' }).click()
  await expect(one.locator('[data-notice=done]').filter({ hasText: '保存しました' })).toBeVisible()
  await other.bringToFront()
  await other.getByRole('button', { name: 'ご案内を保存する' }).click()
  await expect(other.getByText('現在の内容カウンター12席')).toBeVisible()
  await expect(other.getByLabel('お席')).toHaveValue('カウンター6席')
  await expectAccessible(other)
  await other.getByRole('button', { name: 'ご案内を保存する' }).click()
  await expect(other.locator('[data-notice=done]').filter({ hasText: '保存しました' })).toBeVisible()
})

test('keeps the input of one section while another section is saved', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/site')
  const [seats, address] = [page.getByLabel('お席'), page.getByRole('textbox', { name: '住所' })]
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
  const other = await owner()
  await open(other, '/site')
  await address.focus()
  await other.getByRole('textbox', { name: 'お知らせ' }).fill('本日は貸切です')
  await pressAndRead(other, '紹介とお知らせを保存する', '保存しました。')
  await page.bringToFront()
  await expect(page.getByRole('textbox', { name: 'お知らせ' })).toHaveValue('本日は貸切です')
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

test('suggests the full URL when a link is typed without https://', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  await page.getByRole('textbox', { name: '1つめの名前' }).fill('予約')
  const address = page.getByRole('textbox', { name: '1つめのアドレス' })
  await address.fill('example.jp/yoyaku')
  await address.press('Enter')
  await expect(address).toHaveAccessibleDescription(/「https:\/\/example\.jp\/yoyaku」ではありませんか/)
  await expect(address).toBeFocused()
  await expect(address).toHaveValue('example.jp/yoyaku')
})

test('keeps the input when the site is unreachable or its proxy returns 502', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  const notice = page.getByRole('textbox', { name: 'お知らせ' })
  await notice.fill('年末は30日まで')
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
  await expect(notice).toHaveValue('年末は30日まで')
  await page.unrouteAll()
  await save.click()
  await expect(page.locator('[data-notice=done]').filter({ hasText: '保存しました' })).toBeVisible()
})

test('announces a save of settings once, and a restore from the bin once', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/site')
  const save = page.getByRole('button', { name: '場所と電話を保存する' })
  await page.getByLabel('駐車場').fill('三台')
  await save.press('Enter')
  await expect(getAnnouncement(page, '保存しました。前の内容には、下の「変更履歴」から戻せます。')).toHaveCount(1)
  await expect(page.locator('[data-notice=done]')).toBeInViewport({ ratio: 1 })
  await expect(save).toBeFocused()
  await expectAccessible(page)
  await save.press('Enter')
  await expect(getAnnouncement(page, '変更はありませんでした。')).toHaveCount(1)
  await expect(save).toBeFocused()

  await page.setViewportSize(desktop)
  await page.evaluate(async () => {
    const path = '/api/collections/bussinessDaysSpecial'
    const headers = { 'content-type': 'application/json' }
    const day = { selectedYear: 2031, selectedMonth: 6, selectedDay: 3, reason: '臨時休業' }
    const added = await (await fetch(path, { method: 'POST', headers, body: JSON.stringify(day) })).json()
    await fetch(`${path}/${added.id}`, { method: 'DELETE', headers, body: JSON.stringify({ version: 1 }) })
  })
  await open(page, '/bin')
  const restore = page.getByRole('button', { name: '「2031年6月3日 臨時休業」を元に戻す' })
  await page.route('**/bin.data', (route) => route.abort())
  await restore.press('Enter')
  const entry = page.getByRole('listitem').filter({ has: restore })
  await expect(entry.locator('[data-notice=trouble]')).toHaveText(NO_CONNECTION)
  await expect(getAnnouncement(page, NO_CONNECTION)).toHaveCount(1)
  await expect(restore).toBeFocused()
  await page.unrouteAll()
  await restore.press('Enter')
  await expect(restore).toHaveCount(0)
  await expect(getAnnouncement(page, '「2031年6月3日 臨時休業」を元に戻しました。')).toHaveCount(1)
  await expect(page.locator('[data-notice=done]')).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('heading', { name: 'ごみ箱' })).toBeFocused()
  await expectAccessible(page)
})

test('edits, reverts, deletes and restores an event', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/calendar?day=2031-05-20')
  await page.getByLabel('タイトル').fill('月見の会')
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(page.getByRole('status').filter({ hasText: '予定を追加しました' })).toBeVisible()
  const panel = page.getByRole('region', { name: '5月20日' })
  await panel.getByRole('link', { name: /月見の会/ }).click()
  await page.getByRole('button', { name: '編集する' }).click()
  const dialog = page.getByRole('dialog')
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
  await expect(page.getByText('月見の会（2031年5月20日）')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: '「月見の会（2031年5月20日）」を元に戻す' }).click()
  const restoredText = '「月見の会（2031年5月20日）」を元に戻しました。'
  await expect(page.locator('[data-notice=done]')).toHaveText(new RegExp(restoredText))
  await expect(page.getByRole('main').getByText('月見の会（2031年5月20日）')).toHaveCount(0)
  await open(page, '/calendar?day=2031-05-20')
  await expect(panel.getByRole('link', { name: /月見の会/ })).toBeVisible()
})

test('downloads a backup on a phone and shows when it is complete', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/today')
  await signUpAccount(page)
  await page.getByRole('link', { name: '控えをダウンロード', exact: true }).click()
  await expect(page.getByText('まだありません。')).toBeVisible()
  await expectAccessibleOnPhoneAndDesktop(page)
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
