import { expect, test } from 'vitest'
import { addDays, type Day } from '../dates/month.ts'
import {
  businessDayAt,
  type DayState,
  dayState,
  eachRow,
  formatDayState,
  formatHours,
  formatOpeningNow,
  formatSpan,
  type Hours,
  noSlots,
  openingNow,
  type Schedule,
  type Slots,
  type SpecialDay,
  slotsOverlap,
  spansOf,
} from './business-day.ts'

const slots = (...times: (string | null)[]): Slots =>
  [0, 1].map((index) => {
    const [start = '', end = ''] = times[index]?.split('~') ?? []
    return start ? { start, end } : null
  })
const open = (...times: string[]): Hours => ({ open: true, slots: slots(...times) })
const closed: Hours = { open: false, slots: noSlots }
const untouched: Hours = { open: true, slots: noSlots }

const week = (overrides: Partial<Schedule> = {}): Schedule => ({
  ...eachRow((name) => {
    if (name === '火曜日' || name === '水曜日') return closed
    return name.startsWith('祝') ? untouched : open('07:30~10:00', '11:30~14:00')
  }),
  ...overrides,
})

type Rules = { schedule?: Schedule | null; specialDays?: SpecialDay[]; holidays?: Record<Day, string> }
const readState = (day: Day, { schedule = week(), specialDays = [], holidays = {} }: Rules = {}) =>
  dayState(day, {
    schedule,
    specialDay: (queriedDay) => specialDays.find((each) => each.day === queriedDay) ?? null,
    holiday: (queriedDay) => holidays[queriedDay] ?? null,
  })
const summarize = ({ state, spans, label }: DayState) =>
  [state, ...spans.map(formatSpan), label].filter(Boolean).join(' ')

test('uses the row of the weekday for an ordinary day', () => {
  expect(summarize(readState('2026-11-20'))).toBe('open 7:30〜10:00 11:30〜14:00')
  expect(summarize(readState('2026-11-24'))).toBe('closed 定休日')
})

test('returns the state `unknown` when no schedule is saved', () => {
  expect(summarize(readState('2026-11-20', { schedule: null }))).toBe('unknown')
})

test('uses the holiday row on a holiday unless the row is untouched', () => {
  const holidays = { '2026-11-03': '文化の日', '2026-11-23': '勤労感謝の日' }
  expect(summarize(readState('2026-11-03', { holidays }))).toBe('closed 定休日')
  expect(readState('2026-11-23', { holidays }).holiday).toBe('勤労感謝の日')
  expect(summarize(readState('2026-11-03', { holidays, schedule: week({ 祝日: open('10:00~15:00') }) }))).toBe(
    'open 10:00〜15:00',
  )
  expect(summarize(readState('2026-11-23', { holidays, schedule: week({ 祝日: closed }) }))).toBe('closed 定休日')
})

test('uses the holiday-eve row on the day before a holiday unless the day itself is a holiday', () => {
  const holidays = { '2026-09-21': '敬老の日', '2026-09-22': '国民の休日' }
  const schedule = week({ 祝日: open('09:00~12:00'), 祝前日: open('17:00~23:00') })
  expect(summarize(readState('2026-09-20', { holidays, schedule }))).toBe('open 17:00〜23:00')
  expect(summarize(readState('2026-09-19', { holidays, schedule }))).toBe('open 7:30〜10:00 11:30〜14:00')
  expect(summarize(readState('2026-09-21', { holidays, schedule }))).toBe('open 9:00〜12:00')
  // A holiday before another holiday never uses the eve row, even if the holiday row is untouched.
  expect(summarize(readState('2026-09-21', { holidays, schedule: week({ 祝前日: open('17:00~23:00') }) }))).toBe(
    'open 7:30〜10:00 11:30〜14:00',
  )
})

test('prefers a special day to the schedule and ignores the opening hours of a closed day', () => {
  const special = (reason: string, hours: Slots) => ({ specialDays: [{ day: '2026-11-20', reason, slots: hours }] })
  expect(summarize(readState('2026-11-20', special('臨時休業', slots('10:00~12:00'))))).toBe('closed 臨時休業')
  expect(summarize(readState('2026-11-20', special('設備点検のため休業いたします', noSlots)))).toBe(
    'closed 設備点検のため休業いたします',
  )
  expect(summarize(readState('2026-11-20', special('営業時間変更', slots('10:00~12:00'))))).toBe(
    'open 10:00〜12:00 営業時間変更',
  )
  expect(summarize(readState('2026-11-20', { schedule: null, ...special('臨時営業', noSlots) }))).toBe('open 臨時営業')
})

test('sorts slots, merges touching slots and extends a slot past midnight', () => {
  const formatSlots = (...times: (string | null)[]) => spansOf(slots(...times)).map(formatSpan)
  expect(formatSlots()).toEqual([])
  expect(formatSlots('18:00~01:30')).toEqual(['18:00〜翌1:30'])
  expect(formatSlots('18:00~00:00')).toEqual(['18:00〜24:00'])
  expect(formatSlots(null, '11:30~14:00')).toEqual(['11:30〜14:00'])
  expect(formatSlots('10:00~13:00', '12:00~15:00')).toEqual(['10:00〜15:00'])
  expect(formatSlots('10:00~12:00', '12:00~15:00')).toEqual(['10:00〜15:00'])
  expect(formatSlots('10:00~15:00', '11:00~12:00')).toEqual(['10:00〜15:00'])
  expect(formatSlots('10:00~10:00', '11:05~12:00')).toEqual(['11:05〜12:00'])
  expect(formatSlots('17:00~21:00', '11:00~14:00')).toEqual(['11:00〜14:00', '17:00〜21:00'])
})

test('detects overlapping slots in either order and past midnight', () => {
  const hasOverlap = (first: string, second: string | null) => slotsOverlap(slots(first, second))
  expect(hasOverlap('10:00~13:00', '12:00~15:00')).toBe(true)
  expect(hasOverlap('12:00~15:00', '10:00~13:00')).toBe(true)
  expect(hasOverlap('10:00~15:00', '11:00~12:00')).toBe(true)
  expect(hasOverlap('18:00~02:00', '23:00~23:30')).toBe(true)
  expect(hasOverlap('10:00~12:00', '12:00~15:00')).toBe(false)
  expect(hasOverlap('12:00~15:00', '10:00~12:00')).toBe(false)
  expect(hasOverlap('07:30~10:00', '11:30~14:00')).toBe(false)
  expect(hasOverlap('10:00~12:00', null)).toBe(false)
})

test('formats a day or a row of the schedule in one line', () => {
  const formatLine = (day: Day, overrides?: Rules) => formatDayState(readState(day, overrides))
  const special = (reason: string, hours: Slots) => ({ specialDays: [{ day: '2026-11-20', reason, slots: hours }] })
  expect(formatLine('2026-11-20')).toBe('営業 7:30〜10:00、11:30〜14:00')
  expect(formatLine('2026-11-24')).toBe('定休日')
  expect(formatLine('2026-11-20', special('営業時間変更', slots('10:00~12:00')))).toBe('営業時間変更 10:00〜12:00')
  expect(formatLine('2026-11-20', special('臨時休業', slots('10:00~12:00')))).toBe('臨時休業')
  expect(formatLine('2026-11-20', { schedule: week({ 金曜日: untouched }) })).toBe('営業')
  expect(formatLine('2026-11-20', { schedule: null })).toBe('')
  expect(formatHours(open('07:30~10:00', '18:00~01:00'))).toBe('営業 7:30〜10:00、18:00〜翌1:00')
  expect(formatHours({ ...open('07:30~10:00'), open: false })).toBe('定休日')
  expect(formatHours(untouched)).toBe('営業')
})

const openingAt = (time: string, overrides: Rules = {}) => {
  const days = Array.from({ length: 15 }, (_, index) => readState(addDays('2026-11-19', index), overrides))
  return openingNow(Date.parse(`${time}+09:00`), days)
}
const headlineAt = (time: string, overrides?: Rules) => formatOpeningNow(openingAt(time, overrides))

test('formats the opening state before, during, between and after the opening hours', () => {
  expect(headlineAt('2026-11-20T07:29:59')?.headline).toBe('本日7:30より営業いたします')
  expect(headlineAt('2026-11-20T07:30:00')).toEqual({
    headline: 'ただいま営業しております',
    detail: '11月20日（金） 7:30〜10:00、11:30〜14:00',
  })
  expect(headlineAt('2026-11-20T09:29:59')?.headline).toBe('ただいま営業しております')
  expect(headlineAt('2026-11-20T09:30:00')?.headline).toBe('まもなく閉店します（10:00まで）')
  expect(headlineAt('2026-11-20T10:00:00')?.headline).toBe('本日11:30より営業いたします')
  expect(headlineAt('2026-11-20T14:00:00')).toEqual({
    headline: '本日の営業は終了しました',
    detail: '次の営業は11月21日（土） 7:30からです',
  })
})

test('names the reason for a closed day and the next opening', () => {
  expect(headlineAt('2026-11-24T12:00:00')).toEqual({
    headline: '本日は定休日です',
    detail: '次の営業は11月26日（木） 7:30からです',
  })
})

test('omits the hours when a day has no hours, and the next opening when no day opens again', () => {
  const withoutTimes = week({ 金曜日: untouched, 土曜日: untouched })
  expect(headlineAt('2026-11-20T03:00:00', { schedule: withoutTimes })).toEqual({
    headline: '本日は営業日です',
    detail: '11月20日（金） 営業時間は店頭でご確認ください',
  })
  const specialDays = [{ day: '2026-11-20', reason: '臨時休業', slots: noSlots }]
  expect(headlineAt('2026-11-20T12:00:00', { schedule: withoutTimes, specialDays })).toEqual({
    headline: '本日は臨時休業です',
    detail: '次の営業は11月21日（土）です',
  })
  const alwaysClosed = week(eachRow(() => closed))
  expect(headlineAt('2026-11-20T12:00:00', { schedule: alwaysClosed })).toEqual({
    headline: '本日は定休日です',
    detail: '11月20日（金） 定休日',
  })
})

test('returns the state `open` past midnight while the hours of the previous day continue', () => {
  const schedule = week({ 金曜日: open('18:00~02:00') })
  expect(openingAt('2026-11-21T01:59:00', { schedule })).toMatchObject({ state: 'open', until: 120, closingSoon: true })
  expect(openingAt('2026-11-21T02:00:00', { schedule })).toMatchObject({ state: 'closed' })
})

test('shows the hours of yesterday until they end after midnight, even if the new day is closed', () => {
  const schedule = week({ 金曜日: open('18:00~02:00'), 土曜日: closed })
  expect(headlineAt('2026-11-21T01:00:00', { schedule })).toEqual({
    headline: 'ただいま営業しております',
    detail: '11月20日（金） 18:00〜翌2:00',
  })
  const continuedWeek = week({ 金曜日: open('18:00~02:00'), 土曜日: open('01:00~05:00') })
  expect(headlineAt('2026-11-21T00:59:00', { schedule: continuedWeek })?.detail).toBe('11月20日（金） 18:00〜翌2:00')
  expect(headlineAt('2026-11-21T01:00:00', { schedule: continuedWeek })).toEqual({
    headline: 'ただいま営業しております',
    detail: '11月21日（土） 1:00〜5:00',
  })
})

test('puts the reason for a closed day in brackets when the reason is a sentence', () => {
  const specialDays = [{ day: '2026-11-20', reason: '設備点検のため休業します', slots: noSlots }]
  expect(headlineAt('2026-11-20T12:00:00', { specialDays })?.headline).toBe(
    '本日は休業いたします（設備点検のため休業します）',
  )
})

test('returns no headline for the opening state when no schedule is saved', () => {
  expect(headlineAt('2026-11-20T12:00:00', { schedule: null })).toBeNull()
})

test('ends a business day at midnight, or with the last slot of the night', () => {
  const dayAt = (time: string, friday = open('11:30~14:00', '22:00~02:00')) => {
    const days = ['2026-11-19', '2026-11-20'].map((day) => readState(day, { schedule: week({ 金曜日: friday }) }))
    return businessDayAt(Date.parse(`2026-11-${time}:00+09:00`), days)
  }
  expect(dayAt('20T23:59')).toBe('2026-11-20')
  expect(dayAt('21T01:59')).toBe('2026-11-20')
  expect(dayAt('21T02:00')).toBe('2026-11-21')
  expect(dayAt('21T00:00', open('11:30~14:00'))).toBe('2026-11-21')
})
