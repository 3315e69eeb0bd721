import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { addDays } from '../dates/month.ts'
import { eachRow, noSlots, type Slots } from './business-day.ts'
import {
  listOpenedClosedDays,
  readSpecialDay,
  readUsualRows,
  saveSpecialDays,
  saveWeek,
} from './business-days.server.ts'

const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
const holiday = '2026-11-23'
const evening: Slots = [{ start: '17:00', end: '22:00' }, null]
const night: Slots = [{ start: '20:00', end: '23:00' }, null]
const morning: Slots = [{ start: '09:00', end: '11:00' }, null]
/** Closed on Tuesdays and Sundays, with other hours on holidays and on their eves. */
const week = {
  ...eachRow(() => ({ open: true, slots: evening })),
  火曜日: { open: false, slots: noSlots },
  日曜日: { open: false, slots: noSlots },
  祝日: { open: true, slots: morning },
  祝前日: { open: true, slots: night },
  closedDaysFirst: false,
}

onEachEngine((fresh) => {
  /** Returns a shop with this week. `readDays` returns the first days with special hours on its home page. */
  const site = async (today = '2026-11-20') => {
    const made = await sampleSite(await fresh())
    await made.db.deleteFrom('businessWeek').execute()
    await saveWeek(made.db, week, { version: 0 }, author)
    made.clock.now = Date.parse(`${today}T12:00:00+09:00`)
    // The page contains its metadata twice: for search engines, and for the hydration.
    const readDays = async () =>
      [...(await made.text('/')).matchAll(/"validFrom":"([\d-]+)","validThrough":"([\d-]+)"/g)].map(
        ([, first]) => first,
      )
    return { ...made, readDays }
  }

  test.each([
    [60, true],
    [61, false],
  ])('publishes the hours of a holiday %i days ahead: %s', async (days, isPublished) => {
    const { readDays } = await site(addDays(holiday, -days))
    expect((await readDays()).includes(holiday)).toBe(isPublished)
  })

  test('publishes no hours for a special day that is open without hours', async () => {
    const { db, readDays } = await site()
    const day = (number: number) => `2026-12-0${number}`
    await saveSpecialDays(db, { days: [day(3)], reason: '臨時営業', slots: noSlots }, new Map(), author)
    await saveSpecialDays(db, { days: [day(8)], reason: '臨時営業', slots: evening }, new Map(), author)
    await saveSpecialDays(db, { days: [day(5)], reason: '臨時休業', slots: noSlots }, new Map(), author)
    const days = new Set((await readDays()).filter((each) => each?.startsWith('2026-12-0')))
    expect([...days]).toEqual([day(5), day(8)])
    // A special day is published more than 60 days ahead.
    await saveSpecialDays(db, { days: ['2027-03-03'], reason: '臨時休業', slots: noSlots }, new Map(), author)
    expect(await readDays()).toContain('2027-03-03')
    expect(await readSpecialDay(db, '2027-03-03')).toMatchObject({ cause: '', note: '' })
  })

  test('returns the row of the eve when the last day is before a holiday', async () => {
    const { db } = await site()
    expect(await readUsualRows(db, ['2026-11-21', '2026-11-22'])).toEqual([week.土曜日, week.祝前日])
    // This holiday is stored and not computed.
    const extra = { day: '2026-12-03', name: '式典の日', acceptedAt: author.at }
    await db.insertInto('extraHolidays').values(extra).execute()
    expect(await readUsualRows(db, ['2026-12-01', '2026-12-02'])).toEqual([week.火曜日, week.祝前日])
    expect(await readUsualRows(db, [])).toEqual([])
    await db.deleteFrom('businessWeek').execute()
    expect(await readUsualRows(db, ['2026-12-01'])).toEqual([])
  })

  test('lists the closed days that a schedule opens within 365 days, unless they are special days', async () => {
    const { db } = await site()
    // The holiday of 2027 is a Tuesday.
    const listFrom = async (today: string) => (await listOpenedClosedDays(db, today, week, null))[0]?.days.at(-1)
    expect(await listFrom('2026-11-24')).toBe('11月23日（火）')
    expect(await listFrom('2026-11-23')).not.toBe('11月23日（火）')
    await saveSpecialDays(db, { days: ['2027-11-23'], reason: '臨時休業', slots: noSlots }, new Map(), author)
    expect(await listFrom('2026-11-24')).not.toBe('11月23日（火）')
  })
})
