import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { emulateSlowPhone, expect, getNotice, open, phone, pressAndRead } from './visitors.ts'

test.slow()

const undo = (page: Page) => page.getByRole('button', { name: '元に戻す', exact: true })
const notice = (page: Page) => page.getByRole('region', { name: 'お知らせ' })
let number = 0

/** Adds a page on a slow phone and waits for its editor. */
async function addPage(page: Page) {
  await emulateSlowPhone(page)
  await open(page, '/pages')
  await page.getByText('新しいページを作成する').click()
  await page.getByLabel('ページのタイトル').fill('器のこと')
  number += 1
  await page.getByLabel('アドレス').fill(`vessels-${test.info().workerIndex}-${number}`)
  await page.getByRole('button', { name: '作成して書きはじめる' }).click()
  await expect(notice(page)).toContainText('追加しました。')
  await expect(page.getByRole('textbox', { name: '本文' })).toHaveAttribute('contenteditable')
}

for (const field of ['本文', '英語のタイトル']) {
  test(`removes the undo button of a new page at the first key in ${field}`, async ({ owner }) => {
    const page = await owner({ viewport: phone })
    await addPage(page)
    await expect(notice(page).getByRole('button', { name: '元に戻す' })).toBeVisible()
    await page.getByRole('textbox', { name: field }).first().press('a')
    await expect(notice(page)).toHaveCount(0)
    const box = page.getByRole('textbox', { name: field }).first()
    await (field === '本文' ? expect(box).toHaveText('a') : expect(box).toHaveValue('a'))
  })
}

test('offers only the undo of the last save in the page editor, and no undo on another page', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await addPage(page)
  await pressAndRead(page, '保存する', '変更はありませんでした。')
  await expect(notice(page)).toHaveCount(0)
  await page.getByLabel('英語のタイトル').fill('Vessels')
  await page.getByRole('button', { name: '保存する' }).click()
  await expect(notice(page)).toContainText('保存しました。')
  await expect(page.locator('[data-notice]').getByRole('button', { name: '元に戻す' })).toHaveCount(1)
  await page.getByRole('link', { name: 'すべてのページ' }).click()
  await expect(page).toHaveURL(/\/pages$/)
  await expect(notice(page)).toHaveCount(0)
})

test('offers one undo on the calendar after a save of hours and then a save of an event', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/bussinessdays?table=special&day=2041-05-05')
  await page.getByRole('button', { name: 'スケジュールを登録する' }).click()
  await expect(notice(page)).toContainText('営業時間を保存しました。')
  await open(page, '/calendar?month=2041-05&day=2041-05-06&done=hours&undo=none')
  await expect(undo(page)).toHaveCount(1)
  await page.getByLabel('タイトル').fill('月見の会')
  await expect(undo(page)).toHaveCount(0)
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(notice(page)).toContainText('予定を追加しました。')
  await expect(undo(page)).toHaveCount(1)
  await undo(page).click()
  await expect(notice(page)).toContainText('元に戻しました。')
  await expect(page.getByRole('link', { name: /月見の会/ })).toHaveCount(0)
})

test('removes the undo button when the next save fails', async ({ owner, site: url }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/today')
  await page.getByRole('button', { name: /^臨時休業/ }).click()
  await expect(undo(page)).toHaveCount(1)
  await page.context().addCookies([{ name: 'fails', value: 'yes', url }])
  await pressAndRead(page, /^通常どおり/, 'データの保存に失敗しました。')
  await expect(undo(page)).toHaveCount(0)
})

test('keeps the shop closed when the closing button is pressed again at the same position', async ({ owner }) => {
  const page = await owner({ viewport: { width: 390, height: 664 } })
  await emulateSlowPhone(page)
  await open(page, '/today')
  const undone: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname.startsWith('/undo')) undone.push(request.url())
  })
  const box = await page.getByRole('button', { name: /^臨時休業/ }).boundingBox()
  const press = () => page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + 20)
  await press()
  await expect(getNotice(page, '本日を「臨時休業」にしました。')).toBeVisible()
  await press()
  await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
  await press()
  await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
  await open(page, '/today')
  await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
  expect(undone).toEqual([])
})
