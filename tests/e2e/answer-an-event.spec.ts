import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { addEvent, fillRsvpFields } from './forms-of-days.ts'
import { delayRequests, desktop, expect, expectAccessible, open, phone } from './visitors.ts'

test.slow()

const addMeeting = (owner: Page, title: string, capacity: string) =>
  addEvent(owner, '2099-05-16', title, fillRsvpFields(capacity, '2099-05-10'))

test('promotes a waitlisted member when another member declines', async ({ owner, approved }) => {
  const organiser = await owner({ viewport: desktop })
  await addMeeting(organiser, '夜間練習', '1')
  const page = await approved({ viewport: phone })
  await open(page, '/memberlist')
  const event = page.getByRole('article', { name: '夜間練習' })
  await expect(event).toContainText('5月16日（土）')
  await expect(event).toContainText('定員1名')
  await expect(event).toContainText('締切5月10日（日）')
  await expect(event).toContainText('まだ回答していません')
  await organiser.getByRole('link', { name: '夜間練習' }).first().click()
  const dialog = organiser.getByRole('dialog', { name: '夜間練習' })
  await expect(dialog).toContainText('まだどなたもいません')

  await event.getByText('ひとことを添える').click()
  await event.getByLabel('ひとこと', { exact: true }).fill('少し遅れます')
  await event.getByRole('button', { name: '参加', exact: true }).click()
  await expect(dialog).toContainText('参加 1名／1名')
  await expect(dialog).toContainText('桜井 花：少し遅れます')
  await expect(event.getByRole('button', { name: '参加', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.locator('[data-notice=done]')).toContainText('「参加」と回答しました')
  await expectAccessible(page)

  await dialog.getByRole('button', { name: '参加', exact: true }).press('Enter')
  await expect(dialog).toContainText('キャンセル待ちの1番目です')
  await expect(event).toContainText('キャンセル待ち（受付順） 1名')
  await expectAccessible(organiser)

  await event.getByLabel('ひとこと', { exact: true }).fill('やはり休みます')
  await event.getByRole('button', { name: '不参加' }).click()
  await expect(dialog).toContainText('回答：参加')
  await expect(dialog).not.toContainText('キャンセル待ち')
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(event).toContainText('キャンセル待ちの1番目です')
  await expect(event.getByLabel('ひとこと', { exact: true })).toHaveValue('少し遅れます')
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
})

test('shows a guest the RSVP deadline of an event, but no RSVP button', async ({ owner, openPage }) => {
  const organiser = await owner()
  await addMeeting(organiser, '朝の練習', '3')
  const page = await openPage({ viewport: phone })
  await open(page, '/calendar?month=2099-05&day=2099-05-16')
  await page.getByRole('link', { name: '朝の練習' }).click()
  const dialog = page.getByRole('dialog', { name: '朝の練習' })
  await expect(dialog).toContainText('出欠をとります（定員3名、締切5月10日（日））')
  await expect(dialog.getByRole('button', { name: '参加' })).toHaveCount(0)
  await expect(dialog).not.toContainText('回答')
})

test('shows an error when an RSVP is sent offline, and accepts the RSVP when the browser is online again', async ({
  owner,
  approved,
}) => {
  await addMeeting(await owner(), '昼の練習', '3')
  const page = await approved({ viewport: phone })
  await open(page, '/memberlist')
  const event = page.getByRole('article', { name: '昼の練習' })
  await page.context().setOffline(true)
  await event.getByRole('button', { name: '未定' }).click()
  await expect(event.locator('[data-notice=trouble]')).toContainText('通信エラーが発生しました')
  await page.context().setOffline(false)
  await event.getByRole('button', { name: '未定' }).click()
  await expect(event).toContainText('回答：未定')
})

test('completes a pending member search when an RSVP is rejected meanwhile', async ({ owner, approved }) => {
  await addMeeting(await owner(), '夜の練習', '3')
  const page = await approved()
  await open(page, '/memberlist')
  const event = page.getByRole('article', { name: '夜の練習' })
  await event.locator('[name=version]').evaluateAll((inputs) => {
    for (const input of inputs) (input as HTMLInputElement).value = '7'
  })
  const release = await delayRequests(page, /\/memberlist\.data/)
  const rejectedResponse = page.waitForResponse((response) => response.request().method() === 'POST')
  const searchRequest = page.waitForRequest(/memberlist\.data\?.*q=/)
  await event.getByRole('button', { name: '未定' }).click()
  await page.getByRole('searchbox').fill('桜井')
  await page.getByRole('button', { name: '探す' }).click()
  await searchRequest
  release()
  expect((await rejectedResponse).status()).toBe(409)
  await expect(page).toHaveURL(/\?q=/)
  await expect(page.getByRole('article', { name: '桜井 花' })).toBeVisible()
  await expect(page.getByRole('article', { name: '暖簾 結' })).toHaveCount(0)
})
