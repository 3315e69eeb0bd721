import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { post } from './forms.ts'
import { Thumb } from './taps.ts'
import { desktop, expect, expectAccessible, getAnnouncement, getNotice, open, phone } from './visitors.ts'

const cellOf = (day: number) => ({ name: new RegExp(`^12月${day}日（土）.*土曜練習`) })

async function openEvent(page: Page, day: number) {
  await page.getByRole('gridcell', cellOf(day)).press('Enter')
  await page
    .getByRole('region', { name: `12月${day}日` })
    .getByRole('link', { name: '土曜練習' })
    .press('Enter')
}

test('adds every Saturday until Christmas, cancels one with three taps and restores it', async ({ owner }) => {
  const page = await owner({ viewport: phone, hasTouch: true })
  await open(page, '/calendar?month=2040-12&day=2040-12-01')
  await page.getByRole('textbox', { name: 'タイトル' }).fill('土曜練習')
  await expect(page.getByLabel('最後の日')).toBeHidden()
  await page.getByLabel('くり返し').selectOption({ label: '毎週土曜日' })
  await page.getByLabel('最後の日').fill('2040-12-25')
  await expect(page.getByText('全4回、2040年12月1日（土）から2040年12月22日（土）までです。')).toBeVisible()
  await page.getByRole('checkbox', { name: 'メンバーの出欠をとる' }).check()
  await expect(page.getByLabel('締切の日')).toBeHidden()
  await page.getByLabel('締切は各回の何日前').fill('3')
  await page.getByLabel('締切の時刻').fill('18:00')
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await page.setViewportSize(phone)
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(getNotice(page, '予定を追加しました。全4回')).toBeVisible()
  for (const day of [1, 8, 15, 22]) await expect(page.getByRole('gridcell', cellOf(day))).toHaveCount(1)
  // The form is empty again, so its fields for a series are hidden.
  await expect(page.getByLabel('最後の日')).toBeHidden()

  const thumb = new Thumb()
  await thumb.tap(page.getByRole('gridcell', cellOf(15)).locator('a', { hasText: '土曜練習' }))
  const dialog = page.getByRole('dialog', { name: '土曜練習' })
  await expect(dialog).toContainText('毎週土曜日')
  await expect(dialog).toContainText('締切12月12日（水） 18:00')
  await thumb.tap(dialog.getByRole('button', { name: '削除する' }))
  const question = page.getByRole('alertdialog', { name: '2040年12月15日のイベントを削除しますか？' })
  await expectAccessible(page)
  await thumb.tap(question.getByRole('button', { name: 'この回だけ削除する' }))
  await expect(page.getByRole('alertdialog', { name: 'イベントを削除しました' })).toBeVisible()
  expect(thumb.taps).toBe(3)
  await page.getByRole('button', { name: '閉じる' }).click()
  await expect(page.getByRole('gridcell', cellOf(15))).toHaveCount(0)
  for (const day of [1, 8, 22]) await expect(page.getByRole('gridcell', cellOf(day))).toHaveCount(1)
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByRole('gridcell', cellOf(15))).toHaveCount(1)
})

test('adds an event when a hidden field is invalid', async ({ owner }) => {
  const page = await owner({ viewport: desktop })
  await open(page, '/calendar?month=2042-12&day=2042-12-01')
  await page.getByRole('textbox', { name: 'タイトル' }).fill('納会')
  const attendance = page.getByRole('checkbox', { name: 'メンバーの出欠をとる' })
  await attendance.check()
  await page.getByLabel('定員').fill('0')
  await attendance.uncheck()
  await page.getByLabel('くり返し').selectOption({ label: '毎週月曜日' })
  await page.getByLabel('または回数').fill('0.5')
  await page.getByLabel('くり返し').selectOption({ label: 'くり返さない' })
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(getNotice(page, '予定を追加しました。')).toBeVisible()
})

test('changes and deletes later occurrences by keyboard, and restores them by one undo', async ({ owner }) => {
  const page = await owner({ viewport: desktop })
  await page.goto('/api/health')
  const series = { id: crypto.randomUUID(), day: '2041-12-07', title: '土曜練習', startTime: '09:00' }
  await post(page, '/calendar', { intent: 'add', ...series, recurrence: '毎週', times: '4' })
  await open(page, '/calendar?month=2041-12')
  await openEvent(page, 14)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: '編集する' }).press('Enter')
  await dialog.getByLabel('開始').fill('10:00')
  const scope = dialog.getByLabel('変更する範囲').first()
  await expect(scope).toHaveValue('one')
  await scope.selectOption('この回以降すべて')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: '保存する' }).press('Enter')
  await expect(getNotice(page, '予定を保存しました。この回以降の3回です。')).toBeVisible()
  await openEvent(page, 28)
  await expect(dialog).toContainText('10:00から')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)

  await openEvent(page, 14)
  await dialog.getByRole('button', { name: '削除する' }).press('Enter')
  await page.getByRole('button', { name: 'この回以降を削除する' }).press('Enter')
  await expect(page.locator('[data-notice=done]')).toHaveCount(1)
  await page.getByRole('button', { name: '閉じる' }).press('Enter')
  await expect(getAnnouncement(page, 'イベントを削除しました。この回以降の3回です。')).toHaveCount(1)
  await expect(page.getByRole('gridcell', cellOf(7))).toHaveCount(1)
  for (const day of [14, 21, 28]) await expect(page.getByRole('gridcell', cellOf(day))).toHaveCount(0)
  await page.getByRole('button', { name: '元に戻す' }).press('Enter')
  for (const day of [14, 21, 28]) await expect(page.getByRole('gridcell', cellOf(day))).toHaveCount(1)
})
