import type { Page } from '@playwright/test'
import { addCard } from '../../app/cards/cards.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { noSlots } from '../../app/hours/business-day.ts'
import { saveSpecialDays } from '../../app/hours/business-days.server.ts'
import type { Db } from '../../db/tables.ts'
import { author, test } from './site-with-data.ts'
import { countRequests, expect, open, openWithLiveUpdates } from './visitors.ts'

// All tests share one site, in one worker.
test.describe.configure({ mode: 'default' })

const addDish = (db: Db, title: string) =>
  addCard(db, 'dining', { title, content: '今日から始めました。', order: 99 }, author())

test('shows a new dish without a reload, and updates a hidden page when it becomes visible again', async ({
  page,
  db,
}) => {
  await openWithLiveUpdates(page, '/dining')
  const loads = countRequests(page, /\/dining$/)
  const reads = countRequests(page, /\/dining\.data/)
  // A second read for the first dish would arrive before the second dish.
  for (const dish of ['鯖寿司', '小芋煮']) {
    await addDish(db, dish)
    await expect(page.getByRole('heading', { name: dish })).toBeVisible()
  }
  expect([loads.number, reads.number]).toEqual([0, 2])

  await setVisible(page, false)
  // The site keeps this page until it notices the change.
  await page.request.get('/dining')
  await addDish(db, '賀茂茄子')
  // The site has noticed the change before the page returns.
  await expect.poll(async () => (await page.request.get('/dining')).text()).toContain('賀茂茄子')
  await setVisible(page, true)
  await expect(page.getByRole('heading', { name: '賀茂茄子' })).toBeVisible()
  expect(loads.number).toBe(0)
})

test('updates home when the day is closed', async ({ page, db }) => {
  await openWithLiveUpdates(page, '/')
  await expect(page.getByText('臨時休業')).toHaveCount(0)
  const closedDay = { days: [dayInJapan(Date.now())], reason: '臨時休業', slots: noSlots }
  await saveSpecialDays(db, closedDay, new Map(), author())
  await expect(page.getByText('臨時休業').first()).toBeVisible()
})

test('opens one stream for two tabs, and a new stream when the tab with the stream closes', async ({
  page,
  context,
  db,
}) => {
  const second = await context.newPage()
  const streams = [countRequests(page, /\/api\/live/), countRequests(second, /\/api\/live/)]
  await openWithLiveUpdates(page, '/dining')
  await open(second, '/dining')
  await addDish(db, '粟麩田楽')
  for (const tab of [page, second]) {
    await expect(tab.getByRole('heading', { name: '粟麩田楽' })).toBeVisible()
  }
  expect(streams.map(({ number }) => number)).toEqual([1, 0])

  const takenOver = second.waitForRequest(/\/api\/live/)
  await page.close()
  await takenOver
  await addDish(db, '飛龍頭')
  await expect(second.getByRole('heading', { name: '飛龍頭' })).toBeVisible()
  expect(streams.map(({ number }) => number)).toEqual([1, 1])
})

test.describe('while the health check fails or the connection is lost', () => {
  test.use({ expectedErrors: [/503.*\/api\/health|net::ERR_INTERNET_DISCONNECTED/] })

  test('keeps the page content, shows its age after five minutes, and updates the page once the site is reachable', async ({
    page,
    context,
    db,
  }) => {
    await page.clock.install()
    await page.route('/api/health', (route) => route.fulfill({ status: 503 }))
    const reads = countRequests(page, /\/dining\.data/)
    await openWithLiveUpdates(page, '/dining')
    const failedCheck = page.waitForResponse('/api/health')
    await addDish(db, '湯葉刺し')
    await failedCheck
    await expect(page.getByRole('heading', { name: '出汁巻き玉子' })).toBeVisible()
    expect(reads.number).toBe(0)
    await page.unroute('/api/health')
    await page.clock.runFor('00:10')
    await expect(page.getByRole('heading', { name: '湯葉刺し' })).toBeVisible()

    const age = page.getByText('現在の内容です')
    await context.setOffline(true)
    await addDish(db, '丸大根')
    await page.clock.runFor('04:00')
    await expect(age).toHaveCount(0)
    await page.clock.runFor('02:00')
    await expect(age).toHaveText(/^\d{1,2}:\d\d 現在の内容です。$/)
    await expect(page.getByRole('heading', { name: '出汁巻き玉子' })).toBeVisible()

    await context.setOffline(false)
    const newDish = page.getByRole('heading', { name: '丸大根' })
    await expect.poll(() => lookAfterFiveSeconds(page, () => newDish.isVisible()), soon).toBe(true)
    await expect.poll(() => lookAfterFiveSeconds(page, () => age.count()), soon).toBe(0)
  })
})

const soon = { intervals: [250] }

// Advances the clock in small steps, so that no timeout of the page fires before the server can respond.
async function lookAfterFiveSeconds<T>(page: Page, look: () => Promise<T>) {
  await page.clock.runFor('00:05')
  return look()
}

function setVisible(page: Page, seen: boolean) {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }, !seen)
}
