import type { Page } from '@playwright/test'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { test } from './editors.ts'
import { post } from './forms.ts'
import { delayRequests, expect, getNotice, open, phone, pressAndRead } from './visitors.ts'

const undo = (page: Page) => page.getByRole('button', { name: '元に戻す', exact: true })
const notice = (page: Page) => page.getByRole('region', { name: 'お知らせ' })
const isRead = (request: { method(): string }) => request.method() === 'GET'
let number = 0
const createSlug = () => {
  number += 1
  return `vessels-${test.info().workerIndex}-${number}`
}

test('removes the undo button of a new page at the first key, then offers only the undo of the last save', async ({
  owner,
}) => {
  const page = await owner({ viewport: phone })
  await open(page, '/pages')
  await page.getByText('新しいページを作成する').click()
  await page.getByLabel('ページのタイトル').fill('器のこと')
  await page.getByLabel('アドレス').fill(createSlug())
  await page.getByRole('button', { name: '作成して書きはじめる' }).click()
  await expect(notice(page)).toContainText('追加しました。')
  const text = page.getByRole('textbox', { name: '本文' })
  await expect(text).toHaveAttribute('contenteditable')
  await expect(notice(page).getByRole('button', { name: '元に戻す' })).toBeVisible()

  await test.step('a key in the editor removes the notice', async () => {
    await text.press('a')
    await expect(notice(page)).toHaveCount(0)
    await expect(text).toHaveText('a')
  })

  await test.step('a save without a change removes the notice of the last save', async () => {
    await page.getByRole('button', { name: '保存する' }).click()
    await expect(notice(page)).toContainText('保存しました。')
    await pressAndRead(page, '保存する', '変更はありませんでした。')
    await expect(notice(page)).toHaveCount(0)
  })

  await test.step('another page shows no notice of the save', async () => {
    await page.getByLabel('英語のタイトル').fill('Vessels')
    await page.getByRole('button', { name: '保存する' }).click()
    await expect(notice(page)).toContainText('保存しました。')
    await expect(page.locator('[data-notice]').getByRole('button', { name: '元に戻す' })).toHaveCount(1)
    await page.getByRole('link', { name: 'すべてのページ' }).click()
    await expect(page).toHaveURL(/\/pages$/)
    await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('器のこと')
    await expect(notice(page)).toHaveCount(0)
  })
})

test('removes the undo button in the URL of a new page at the first key in a text field', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await page.goto('/api/health')
  await open(page, await post(page, '/pages', { title: '器のこと', name: createSlug() }))
  await expect(notice(page)).toContainText('追加しました。')
  await expect(notice(page).getByRole('button', { name: '元に戻す' })).toBeVisible()
  const title = page.getByRole('textbox', { name: '英語のタイトル' }).first()
  await title.press('a')
  await expect(notice(page)).toHaveCount(0)
  await expect(title).toHaveValue('a')
})

test('offers one undo on the calendar after a save of hours and then a save of an event', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await page.goto('/api/health')
  const closure = { intent: 'special', first: '2041-05-05', reason: '臨時休業', ...noHourFields }
  const calendar = await post(page, '/bussinessdays?table=special', closure)
  await open(page, `${calendar}&day=2041-05-06`)
  await expect(notice(page)).toContainText('営業時間を保存しました。')
  await expect(undo(page)).toHaveCount(1)
  await page.getByLabel('タイトル').fill('月見の会')
  await expect(undo(page)).toHaveCount(0)
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(notice(page)).toContainText('予定を追加しました。')
  await expect(undo(page)).toHaveCount(1)
  const event = page.getByRole('link', { name: /月見の会/ }).first()
  await expect(event).toBeVisible()
  await undo(page).click()
  await expect(notice(page)).toContainText('元に戻しました。')
  await expect(event).toHaveCount(0)
})

test('keeps the shop closed when the closing button is pressed again at the same position', async ({ owner, site }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/today')
  const sentForms: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sentForms.push(new URL(request.url()).pathname)
  })
  const close = page.getByRole('button', { name: /^臨時休業/ })
  const { x = 0, y = 0, height = 0 } = (await close.boundingBox()) ?? {}
  // At this height, the notice at the lower edge would cover the button.
  const toolbar = await page.getByRole('navigation', { name: '管理メニュー' }).boundingBox()
  await page.setViewportSize({ width: phone.width, height: Math.ceil(y + height + (toolbar?.height ?? 0)) })
  const press = async () => {
    // A button ignores presses while its form is busy.
    await expect(close).toHaveAttribute('aria-disabled', 'false')
    await page.mouse.click(x + 40, y + height / 2)
  }
  const releaseReads = await delayRequests(page, '**/today.data*', isRead)
  await press()
  await expect(getNotice(page, '本日を「臨時休業」にしました。')).toBeVisible()
  // The page still shows the day before the closing.
  await press()
  await expect.poll(() => sentForms.length).toBe(2)
  releaseReads()
  await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
  await press()
  await expect.poll(() => sentForms.length).toBe(3)
  await expect(getNotice(page, /^本日[をは]「臨時休業」/)).toBeVisible()
  await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()

  await test.step('a failed save removes the undo button', async () => {
    await expect(undo(page)).toHaveCount(1)
    await page.context().addCookies([{ name: 'fails', value: 'yes', url: site }])
    await pressAndRead(page, /^通常どおり/, 'データの保存に失敗しました。')
    await expect(undo(page)).toHaveCount(0)
  })

  // The failed save was the last form, so no form has undone the closing.
  await open(page, '/today')
  await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
  expect(sentForms).toEqual(Array(4).fill('/today.data'))
})
