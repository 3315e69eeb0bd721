import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { password } from './registering.ts'
import { Thumb } from './taps.ts'
import { expect, expectAccessible, getNotice, open, phone } from './visitors.ts'

// All pages have the same options, so that they share pooled contexts.
test.use({ viewport: phone, hasTouch: true })

const bar = (page: Page) => page.getByRole('navigation', { name: '管理メニュー' })

test('signs out a staff member at once when the owner removes them', async ({ owner, openPage }) => {
  const boss = await owner()
  await open(boss, '/staff')
  await boss.getByRole('textbox', { name: 'お名前' }).fill('土鍋 実')
  await boss.getByRole('button', { name: '招待を作成する' }).click()
  const link = await boss.getByLabel('招待のリンク').inputValue()
  await expect(boss.getByRole('img', { name: '招待のQRコード' })).toBeVisible()
  await expectAccessible(boss)

  const page = await openPage()
  await open(page, new URL(link).pathname + new URL(link).search)
  await expect(page.getByLabel('お名前')).toHaveValue('土鍋 実')
  await expectAccessible(page)
  await page.getByLabel('メールアドレス').first().fill('donabe@example.com')
  await page.getByLabel('パスワード').first().fill(password)
  await page.getByLabel('パスワード').first().press('Enter')
  await expect(page).toHaveURL('/')
  await expect(page.locator('[data-notice]').filter({ hasText: 'スタッフとして登録しました。' })).toBeVisible()
  await expect(bar(page).getByRole('link')).toHaveText(['本日の営業', 'お料理', 'カレンダー'])

  // Closes the day, whatever its state was before.
  const thumb = new Thumb()
  await thumb.tap(bar(page).getByRole('link', { name: '本日の営業' }))
  await thumb.tap(page.getByRole('button', { name: /^臨時休業/ }))
  await expect(getNotice(page, '本日を「臨時休業」にしました。')).toBeVisible()
  expect(thumb.taps).toBe(2)

  await open(boss, '/staff')
  const person = boss.getByRole('listitem').filter({ has: boss.getByRole('heading', { name: '土鍋 実' }) })
  await person.getByRole('link', { name: '変更履歴を見る' }).click()
  await expect(boss.getByRole('heading', { name: '土鍋 実 さんの変更履歴' })).toBeVisible()
  await expect(boss.getByRole('main').getByRole('listitem').first()).toContainText(/特別営業日の.+ 臨時休業を/)
  await expectAccessible(boss)
  await boss.goBack()
  await person.getByRole('button', { name: '土鍋 実 さん：スタッフから外す' }).click()
  await boss.getByRole('alertdialog').getByRole('button', { name: '外す' }).click()
  await expect(getNotice(boss, '土鍋 実 さんをスタッフから外しました。')).toBeVisible()
  // The open page is updated: the removed person is signed out.
  await expect(bar(page)).toBeHidden()
  expect(await (await page.request.get(link)).text()).toContain('この招待は、すでに使われています。')
})

test('removes the unsaved input of an account that signs out to accept an invitation', async ({ owner, approved }) => {
  const boss = await owner()
  await open(boss, '/staff')
  await boss.getByRole('textbox', { name: 'お名前' }).fill('土鍋 豊')
  await boss.getByRole('button', { name: '招待を作成する' }).click()
  const { pathname, search } = new URL(await boss.getByLabel('招待のリンク').inputValue())
  const page = await approved()
  await open(page, pathname + search)
  await page.evaluate(() => sessionStorage.setItem('draft mail', '{}'))
  const loaded = page.waitForEvent('load')
  await page.getByRole('main').getByRole('button', { name: 'ログアウトする' }).click()
  await loaded
  expect(await page.evaluate(() => sessionStorage.getItem('draft mail'))).toBeNull()
})
