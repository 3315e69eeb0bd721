import type { Page } from '@playwright/test'
import { addDays, formatDay, weekdayOf } from '../../app/dates/month.ts'
import { stopClocks } from './clocks.ts'
import { createTestOnOwnSite } from './editors.ts'
import { post } from './forms.ts'
import { countRequests, expect, open, openHydrated, openWithLiveUpdates } from './visitors.ts'

const test = createTestOnOwnSite('site with a clock')

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

function setHidden(page: Page, hidden: boolean) {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)
}

const today = (page: Page) => page.locator('[aria-current=date]')
const month = (page: Page) => page.getByRole('heading', { level: 1 })
const selectedDay = (page: Page) => page.locator('#day-heading')

const addDish = (editor: Page, title: string, fields: Record<string, string> = {}) =>
  post(editor, '/firestoreservice?databasename=dining', {
    ...{ intent: 'add', title, content: '季節の品', price: '800' },
    ...fields,
  })

/** The first Friday of March 2044, a regular opening day. */
const friday = addDays('2044-03-01', (5 - weekdayOf('2044-03-01') + 7) % 7)

// Devices far in the west and in the east, whose clocks are wrong. The other tests use a device in Japan.
for (const [timezoneId, device] of [
  ['America/Los_Angeles', -3 * HOUR],
  ['Pacific/Kiritimati', 3 * HOUR],
] as const)
  test.describe(`on a device in ${timezoneId} whose clock is ${device / HOUR} hours ahead`, () => {
    test.use({ timezoneId })

    test('uses the clock and the time zone of the site for the opening status and the day of the calendar', async ({
      page,
      site,
    }) => {
      const clocks = await stopClocks(page, site, device)
      // The page corrects its clock with the time in this response, so the clocks must not change before the response.
      const openCorrected = async (path: string) => {
        const corrected = page.waitForResponse('**/api/health')
        await openHydrated(page, path)
        await corrected
      }

      await test.step('moves an open calendar to the next day at midnight, also at New Year', async () => {
        await clocks.set('2043-12-31T23:59:30')
        await openCorrected('/calendar')
        await expect(today(page)).toHaveAttribute('data-day', '2043-12-31')
        await clocks.pass(MINUTE)
        await expect(today(page)).toHaveAttribute('data-day', '2044-01-01')
        await expect(month(page)).toHaveText('2044年1月')
        await expect(selectedDay(page)).toContainText('1月1日（金）元日')
      })

      await test.step('moves an open calendar to the leap day after a sleep', async () => {
        await clocks.set('2044-02-28T23:59:30')
        await openCorrected('/calendar?month=2044-02')
        for (const day of ['2044-02-28', '2044-02-29']) {
          await expect(today(page)).toHaveAttribute('data-day', day)
          await expect(selectedDay(page)).toContainText(formatDay(day))
          await clocks.sleep(24 * HOUR - MINUTE)
          await clocks.pass(MINUTE)
        }
        await expect(today(page)).toHaveCount(0)
      })

      await test.step('updates the opening status when opening hours begin and end', async () => {
        await clocks.set(`${friday}T11:29:30`)
        await openCorrected('/')
        await expect(page.getByText('本日11:30より営業いたします')).toBeVisible()
        await clocks.pass(MINUTE)
        await expect(page.getByText('ただいま営業しております')).toBeVisible()
        await clocks.pass(2 * HOUR)
        await expect(page.getByText('まもなく閉店します（14:00まで）')).toBeVisible()
        await clocks.pass(30 * MINUTE)
        await expect(page.getByText('本日の営業は終了しました')).toBeVisible()
        await clocks.sleep(21 * 24 * HOUR - 2 * HOUR)
        await clocks.pass(SECOND)
        await expect(page.getByText('ただいま営業しております')).toBeVisible()
        await expect(page.getByText(formatDay(addDays(friday, 21)))).toBeVisible()

        await setHidden(page, true)
        await clocks.sleep(19 * HOUR)
        await setHidden(page, false)
        await expect(
          page.getByText('本日7:30より営業いたします').or(page.getByText('ただいま営業しております')),
        ).toBeVisible()
        await expect(page.getByText(formatDay(addDays(friday, 22)))).toBeVisible()
      })
    })
  })

test('shows the new day on /today after midnight unless a date is selected, and closes the shown day', async ({
  owner,
  site,
}) => {
  const page = await owner()
  const clocks = await stopClocks(page, site)
  const close = async () => {
    await page.getByRole('button', { name: /^臨時休業/ }).click()
    await expect(page.locator('[data-notice=done]')).toContainText('本日を「臨時休業」にしました。')
  }

  await test.step('shows the new day', async () => {
    await clocks.set(`${friday}T23:59:30`)
    await open(page, '/today')
    await expect(page.getByRole('strong')).toHaveText(formatDay(friday))
    await setHidden(page, true)
    await clocks.sleep(8 * HOUR)
    await setHidden(page, false)
    await expect(page.getByRole('strong')).toHaveText(formatDay(addDays(friday, 1)))
    await close()
    await page.goto(`/calendar?month=${friday.slice(0, 7)}`)
    await expect(page.locator(`[data-day="${addDays(friday, 1)}"]`)).toContainText('臨時休業')
    await expect(page.locator(`[data-day="${friday}"]`)).not.toContainText('臨時休業')
  })

  await test.step('keeps the selected date', async () => {
    const saturday = addDays(friday, 15)
    await clocks.set(`${addDays(saturday, -1)}T23:59:30`)
    await open(page, '/today')
    const tabs = page.getByRole('navigation', { name: '営業を設定する日' })
    const currentTab = tabs.locator('[aria-current=page]')
    await tabs.getByRole('link', { name: '明日' }).click()
    await expect(page.getByRole('strong')).toHaveText(formatDay(saturday))
    await expect(currentTab).toHaveText('明日')
    await clocks.pass(MINUTE)
    await expect(currentTab).toHaveText('本日')
    await expect(page.getByRole('strong')).toHaveText(formatDay(saturday))
    await close()
    // After midnight, the tab 明日 shows the day after Saturday.
    await tabs.getByRole('link', { name: '明日' }).click()
    await expect(page.getByRole('strong')).toHaveText(formatDay(addDays(saturday, 1)))
    await expect(page.getByRole('main').locator('[data-notice=done]')).toHaveCount(0)
  })
})

test('hides the RSVP buttons when the event or its deadline has passed', async ({ owner, approved, site }) => {
  const editor = await owner()
  await open(editor, '/calendar')
  const event = { intent: 'add', content: '', attendance: 'yes' }
  const [tomorrow, later] = [addDays(friday, 1), addDays(friday, 9)]
  for (const [title, day, deadline] of [
    ['今日の会', friday, ''],
    ['明日の会', tomorrow, ''],
    ['来週の会', later, friday],
  ] as const)
    await post(editor, '/calendar', { ...event, id: crypto.randomUUID(), title, day, deadline })

  const page = await approved()
  const clocks = await stopClocks(page, site)
  await clocks.set(`${friday}T23:59:30`)
  await open(page, '/memberlist')
  const getEventCard = (title: string) => page.getByRole('article', { name: title })
  await expect(getEventCard('今日の会').getByRole('button', { name: '不参加' })).toBeVisible()
  await expect(getEventCard('来週の会').getByRole('button', { name: '不参加' })).toBeVisible()
  await clocks.pass(MINUTE)
  await expect(getEventCard('今日の会')).toHaveCount(0)
  await expect(getEventCard('来週の会')).toContainText('回答の受付は終了しました。')
  await expect(getEventCard('来週の会').getByRole('button', { name: '不参加' })).toHaveCount(0)
  await expect(getEventCard('明日の会').getByRole('button', { name: '不参加' })).toBeVisible()
})

test('removes a dish from the open print page when its display ends', async ({ owner, site }) => {
  const page = await owner()
  await page.goto('/api/health')
  await addDish(page, '昼までの一皿', { shownUntil: `${addDays(friday, 20)}T12:00` })
  const clocks = await stopClocks(page, site)
  await clocks.set(`${addDays(friday, 20)}T11:59:30`)
  await open(page, '/dining/print')
  await expect(page.getByText('昼までの一皿')).toBeVisible()
  await clocks.pass(MINUTE)
  await expect(page.getByText('昼までの一皿')).toHaveCount(0)
})

test.describe('when the server accepts no further stream', () => {
  test.use({ expectedErrors: [/429.*\/api\/live/] })

  test('polls the server each minute, and shows the changes', async ({ owner, page, site }) => {
    const editor = await owner()
    await editor.goto('/api/health')
    const clocks = await stopClocks(page, site)
    // An open menu loads again at the end of a meal time and at midnight, which are hours away.
    await clocks.set(`${friday}T09:00:00`)
    await page.route(/\/api\/live/, async (route) => {
      if (route.request().resourceType() === 'eventsource') return route.fulfill({ status: 429 })
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), room: false } })
    })
    const streams = countRequests(page, /\/api\/live/, 'eventsource')
    const polls = countRequests(page, /\/api\/live/, 'fetch')
    const reads = countRequests(page, /\/dining\.data/)
    await openWithLiveUpdates(page, '/dining')
    // Steps of five seconds let the server respond before a timeout of the page.
    const afterFiveSeconds = async <T>(look: () => Promise<T>) => {
      await clocks.pass(5 * SECOND)
      return look()
    }
    const soon = { intervals: [250] }
    await expect.poll(() => afterFiveSeconds(async () => polls.number), soon).toBe(1)
    await addDish(editor, '鯛かぶら')
    const newDish = page.getByRole('heading', { name: '鯛かぶら' })
    await expect.poll(() => afterFiveSeconds(() => newDish.isVisible()), soon).toBe(true)
    // A further poll finds no change, so the page reads no data again.
    const pollsBefore = polls.number
    await expect.poll(() => afterFiveSeconds(async () => polls.number), soon).toBe(pollsBefore + 1)
    expect([streams.number, reads.number]).toEqual([1, 1])
    await page.unrouteAll({ behavior: 'wait' })
  })
})

test('keeps the input and the date of a new event when the month ends', async ({ owner, site }) => {
  const page = await owner()
  const clocks = await stopClocks(page, site)
  await clocks.set('2044-01-31T23:59:30')
  await open(page, '/calendar')
  const title = page.getByRole('textbox', { name: 'タイトル' })
  await title.fill('月末の会')
  await clocks.pass(2 * MINUTE)
  await expect(page).toHaveURL(/\/calendar\?month=2044-01$/)
  await expect(title).toHaveValue('月末の会')
  await expect(title).toBeFocused()
  await expect(selectedDay(page)).toContainText('1月31日（日）')
  await expect(today(page)).toHaveCount(0)
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(page.getByRole('gridcell', { name: /1月31日.*月末の会/ })).toBeVisible()
})
