import type { Page } from '@playwright/test'
import { signIn, test } from './editors.ts'
import { createEvent } from './forms-of-days.ts'
import { delayRequests, desktop, expect, expectAccessible, goOffline, goOnline, open, phone } from './visitors.ts'

type Meeting = { title: string; capacity: string; visitor: 'owner' | 'approved' }

/** Adds an event with RSVPs as the owner, and signs in the visitor. Returns the path of the event. */
async function addMeeting(page: Page, site: string, { title, capacity, visitor }: Meeting) {
  await page.goto('/api/health')
  await signIn('owner', page, site)
  const fields = { day: '2099-05-16', title, attendance: 'yes', capacity, deadline: '2099-05-10' }
  const { path } = await createEvent(page, fields)
  await signIn(visitor, page, site)
  return path
}

test('promotes a waitlisted member when another member declines', async ({ owner, approved, site }) => {
  const organiser = await owner({ viewport: desktop })
  const path = await addMeeting(organiser, site, { title: '夜間練習', capacity: '1', visitor: 'owner' })
  const page = await approved({ viewport: phone })
  await open(page, '/memberlist')
  const event = page.getByRole('article', { name: '夜間練習' })
  await expect(event).toContainText('5月16日（土）')
  await expect(event).toContainText('定員1名')
  await expect(event).toContainText('締切5月10日（日）')
  await expect(event).toContainText('まだ回答していません')
  await open(organiser, path)
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

test('shows an error when an RSVP is sent offline, and accepts the RSVP when the browser is online again', async ({
  approved,
  site,
}) => {
  const page = await approved({ viewport: phone })
  await addMeeting(page, site, { title: '昼の練習', capacity: '3', visitor: 'approved' })
  await open(page, '/memberlist')
  const event = page.getByRole('article', { name: '昼の練習' })
  await goOffline(page)
  await event.getByRole('button', { name: '未定' }).click()
  await expect(event.locator('[data-notice=trouble]')).toContainText('通信エラーが発生しました')
  await goOnline(page)
  await event.getByRole('button', { name: '未定' }).click()
  await expect(event).toContainText('回答：未定')
})

test('completes a pending member search when an RSVP is rejected meanwhile', async ({ approved, site }) => {
  const page = await approved({ viewport: phone })
  await addMeeting(page, site, { title: '夜の練習', capacity: '3', visitor: 'approved' })
  await open(page, '/memberlist')
  const event = page.getByRole('article', { name: '夜の練習' })
  // A live update may render the form again, so only the sent version is changed.
  await page.evaluate(() =>
    document.addEventListener('formdata', ({ formData }) => {
      if (formData.has('version')) formData.set('version', '7')
    }),
  )
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
