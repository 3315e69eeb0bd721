import { signIn, test } from './editors.ts'
import { createEvent } from './forms-of-days.ts'
import { expect, expectAccessible, open, phone } from './visitors.ts'

test('answers with a companion, rests, and comes back by one tap', async ({ approved, site }) => {
  const page = await approved({ viewport: phone })
  await page.goto('/api/health')
  await signIn('owner', page, site)
  await createEvent(page, { day: '2099-06-13', title: '団体練習', attendance: 'yes', capacity: '4' })
  await signIn('approved', page, site)
  await open(page, '/memberlist')
  const event = page.getByRole('article', { name: '団体練習' })

  await event.getByLabel('お連れ様').selectOption('2')
  await event.getByRole('button', { name: '参加', exact: true }).click()
  await expect(event).toContainText('回答：参加（お連れ様2名）')
  await expect(event).toContainText('参加 3名／4名')
  await expect(event).toContainText('桜井 花（＋2）')
  await event.getByLabel('お連れ様').selectOption('1')
  await event.getByRole('button', { name: '参加', exact: true }).click()
  await expect(event).toContainText('参加 2名／4名')
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(event).toContainText('参加 3名／4名')
  await expect(event.getByLabel('お連れ様')).toHaveValue('2')

  const card = page.getByRole('article', { name: '桜井 花' })
  await card.locator('summary').click()
  await card.getByRole('button', { name: '休会する' }).click()
  await expect(card).toContainText('休会中')
  await expect(page.getByText('休会中のため')).toBeVisible()
  await expect(event.getByRole('button', { name: '参加', exact: true })).toHaveCount(0)
  await expect(event).toContainText('参加 0名／4名')
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)

  await page.getByRole('button', { name: '復帰する', exact: true }).first().click()
  await expect(page.getByText('休会中のため')).toHaveCount(0)
  await expect(event).toContainText('回答：参加（お連れ様2名）')
  await expect(event).toContainText('参加 3名／4名')
})
