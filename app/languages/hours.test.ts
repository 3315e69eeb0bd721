import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { findUnmarkedJapanese } from '../../server/testing-japanese.ts'
import { Event } from '../calendar/event.ts'
import { formatEventTime } from '../calendar/event-format.ts'
import { addEvent } from '../calendar/events.server.ts'
import { formatDay, formatDayWithYear, formatFullDay, formatMonth } from '../dates/month.ts'
import {
  type DayState,
  formatDayState,
  formatOpeningNow,
  formatSpan,
  noSlots,
  openingNow,
} from '../hours/business-day.ts'
import { saveSpecialDays } from '../hours/business-days.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { languages, runInLanguage } from './languages.server.ts'

const english = languages.find(({ code }) => code === 'en') ?? null
const inEnglish = <Result>(work: () => Result) => runInLanguage(english, work)

const day = (date: string, state: Partial<DayState> = {}): DayState => ({
  ...{ day: date, state: 'open', spans: [{ start: 450, end: 600 }], label: '', holiday: null, source: 'weekday' },
  ...state,
})
const closed: Partial<DayState> = { state: 'closed', spans: [], label: '定休日' }
const cardAt = (time: string, ...states: DayState[]) =>
  inEnglish(() => formatOpeningNow(openingNow(Date.parse(`${time}:00+09:00`), states)))

test('formats days and months in English', () => {
  const formats = [formatDay, formatDayWithYear, formatFullDay, (date: string) => formatMonth(date.slice(0, 7))]
  expect(inEnglish(() => formats.map((format) => format('2026-11-27')))).toEqual([
    'Fri, Nov 27',
    'November 27, 2026',
    'Fri, Nov 27, 2026',
    'Nov 2026',
  ])
})

test('marks the end of a span past midnight in English', () => {
  expect(inEnglish(() => formatSpan({ start: 1020, end: 1500 }))).toBe('17:00–1:00 (next day)')
  expect(inEnglish(() => formatEventTime({ startTime: '18:00', endTime: '01:00' }))).toBe('18:00–1:00 (next day)')
})

test('formats the hours of a day with its cause in English', () => {
  const format = (state: Partial<DayState>) => inEnglish(() => formatDayState(day('2026-11-20', state)))
  expect(format({})).toBe('Open 7:30–10:00')
  expect(format(closed)).toBe('Closed')
  expect(format({ label: '営業時間変更', cause: 'private party' })).toBe(
    'Changed hours (private party) open 7:30–10:00',
  )
  expect(format({ state: 'unknown' })).toBe('')
})

test('formats the opening state in English', () => {
  const [thursday, friday, saturday] = [day('2026-11-19'), day('2026-11-20'), day('2026-11-21')]
  expect(cardAt('2026-11-20T08:00', thursday, friday)).toEqual({
    headline: 'We are open now',
    detail: 'Fri, Nov 20: 7:30–10:00',
  })
  expect(cardAt('2026-11-20T09:45', thursday, friday)?.headline).toBe('Closing soon (open until 10:00)')
  expect(cardAt('2026-11-20T06:00', thursday, friday)?.headline).toBe('We open at 7:30 today')
  expect(cardAt('2026-11-20T12:00', thursday, friday, saturday)).toEqual({
    headline: 'We have closed for today',
    detail: 'We next open on Sat, Nov 21 at 7:30',
  })
  expect(cardAt('2026-11-20T12:00', thursday, day('2026-11-20', closed))?.headline).toBe('We are closed today')
  expect(cardAt('2026-11-20T12:00', thursday, day('2026-11-20', { spans: [] }))).toEqual({
    headline: 'We are open today',
    detail: 'Fri, Nov 20: Please check the hours at the restaurant',
  })
})

onEachEngine((fresh) => {
  const eventId = '11111111-1111-4111-8111-111111111111'

  const createSite = async () => {
    const site = await sampleSite(await fresh())
    const author = { accountId: null, at: new Date(site.clock.now).toISOString() }
    const { version } = await readSiteToEdit(site.db)
    await saveSite(site.db, { version, facts: { otherLanguages: true } }, author)
    const evening = [{ start: '17:00', end: '01:00' }, null]
    const special = [
      { days: ['2026-11-24'], reason: '臨時休業', cause: '法事のため', note: '21日は通常どおりです。', slots: noSlots },
      { days: ['2026-12-12'], reason: '臨時営業', cause: '貸切', slots: evening },
      { days: ['2026-12-13'], reason: '店主都合', slots: noSlots },
    ]
    for (const values of special) await saveSpecialDays(site.db, values, new Map(), author)
    const event = { title: '試飲会', content: '新酒の試飲', day: '2026-12-05', startTime: '18:00', endTime: '01:00' }
    const rsvps = { attendance: 'yes', capacity: '8', deadline: '2026-12-01' }
    await addEvent(site.db, eventId, Event.parse({ ...event, ...rsvps }), author)
    return site
  }

  const paths = [
    '/en',
    '/en/infomation',
    '/en/access',
    '/en/calendar',
    '/en/calendar?month=2026-12',
    '/en/calendar?day=2026-11-23',
    '/en/calendar?month=2026-12&day=2026-12-12',
    '/en/calendar?month=2026-12&pick',
    `/en/calendar?event=${eventId}`,
  ]

  test('marks all Japanese texts of the home page, the facts of the shop and the calendar', async () => {
    const { text } = await createSite()
    for (const path of paths) expect(findUnmarkedJapanese(await text(path)), path).toEqual([])
  })

  test('shows the calendar in English', async () => {
    const { text } = await createSite()
    const html = await text('/en/calendar?day=2026-11-23')
    expect(html).toContain('Labor Thanksgiving Day')
    expect(html).toContain('href="/en/calendar?month=2026-11&amp;day=2026-11-24#day"')
    expect(html).toContain('href="/calendar.ics"')
  })

  test('keeps machine formats in the structured data', async () => {
    const { text } = await createSite()
    const html = await text('/en/calendar?month=2026-12')
    expect(html).toMatch(/"url":"http:\/\/localhost\/en\/calendar\?event=[^"]/)
    expect(html).toMatch(/"dayOfWeek":"Monday","opens":"\d\d:\d\d"/)
    expect(html).toContain('"addressRegion":"京都府"')
  })
})
