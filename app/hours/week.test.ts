import { expect, test } from 'vitest'
import { eachRow, type Hours, noSlots, type Schedule } from './business-day.ts'
import { formatClosedDays, formatOpenWeekdays, looksSame, missingSlots, usualSlots, weekRows } from './week.ts'

const hours = (start: string, end: string): Hours => ({ open: true, slots: [{ start, end }, null] })
const lunch = hours('11:00', '14:00')
/** Returns a week that is open on `days` from 11:00 to 14:00. Replaces the rows that `overrides` contains. */
const openOn = (days: string, overrides: Partial<Schedule> = {}): Schedule => ({
  ...eachRow((name) =>
    name.startsWith('祝') ? { open: true, slots: noSlots } : { ...lunch, open: days.includes(name.slice(0, 1)) },
  ),
  ...overrides,
})

test.each([
  ['月火水木金土日', '毎日11:00〜14:00に営業しております。'],
  ['木金土日月', '木曜日から月曜日までの11:00〜14:00に営業しております。火曜日・水曜日は定休日です。'],
  ['木土日月', '木曜日と、土曜日から月曜日までの11:00〜14:00に営業しております。火曜日・水曜日・金曜日は定休日です。'],
  ['月火木金', '月曜日・火曜日・木曜日・金曜日の11:00〜14:00に営業しております。水曜日・土曜日・日曜日は定休日です。'],
  ['日', '日曜日の11:00〜14:00に営業しております。月曜日・火曜日・水曜日・木曜日・金曜日・土曜日は定休日です。'],
  ['', '毎週決まった営業日はございません。'],
])('describes a week that is open on %s as %s', (days, sentence) => {
  expect(formatOpenWeekdays(openOn(days))).toBe(sentence)
})

test('omits the hours from the sentence when the days have different hours', () => {
  expect(formatOpenWeekdays(openOn('木金土日月', { 日曜日: hours('11:00', '15:00') }))).toBe(
    '木曜日から月曜日まで営業しております。火曜日・水曜日は定休日です。',
  )
})

test('shows the holiday and holiday-eve rows only when their hours differ from a weekday', () => {
  const listRowNames = (schedule: Schedule) => weekRows(schedule).map(({ name }) => name.replace('曜日', ''))
  const week = ['月', '火', '水', '木', '金', '土', '日']
  expect(listRowNames(openOn('月火水木金土日'))).toEqual(week)
  expect(listRowNames(openOn('月火水木金土日', { 祝日: lunch }))).toEqual(week)
  expect(listRowNames(openOn('木金土日月', { 祝日: lunch }))).toEqual([...week, '祝日'])
  expect(listRowNames(openOn('', { 祝前日: { ...lunch, open: false } }))).toEqual(week)
  expect(listRowNames(openOn('日', { 祝前日: { open: false, slots: noSlots } }))).toEqual([...week, '祝前日'])
})

test('shows two slots that form one span as one span', () => {
  const slots = (...times: [string, string][]) => times.map(([start, end]) => ({ start, end }))
  const schedule = openOn('月火水木', {
    月曜日: { open: true, slots: slots(['11:00', '14:00'], ['14:00', '17:00']) },
    火曜日: { open: true, slots: slots(['11:00', '14:00'], ['17:00', '21:00']) },
    水曜日: { open: true, slots: [null, ...slots(['17:00', '21:00'])] },
  })
  const [lunchSpan, evening] = [
    { start: 660, end: 840 },
    { start: 1020, end: 1260 },
  ]
  expect(weekRows(schedule).slice(0, 5)).toEqual([
    { name: '月曜日', closed: false, first: null, second: null, joined: { start: 660, end: 1020 } },
    { name: '火曜日', closed: false, first: lunchSpan, second: evening, joined: null },
    { name: '水曜日', closed: false, first: null, second: evening, joined: null },
    { name: '木曜日', closed: false, first: lunchSpan, second: null, joined: null },
    { name: '金曜日', closed: true, first: null, second: null, joined: null },
  ])
})

test('compares the shown rows of two weeks, and never equals a missing week', () => {
  expect(looksSame(openOn('月'), openOn('月'))).toBe(true)
  expect(looksSame(openOn('月'), openOn('火'))).toBe(false)
  expect(looksSame(null, openOn('月'))).toBe(false)
})

test('suggests the slots of the weekday for a special day, or those of the first open weekday with hours', () => {
  const tuesday = { open: true, slots: noSlots }
  const friday = { open: false, slots: noSlots }
  const evening = hours('17:00', '21:00')
  const week = openOn('', { 火曜日: tuesday, 水曜日: evening, 金曜日: friday })
  expect(usualSlots('2026-11-19', week, () => null)).toEqual(lunch.slots)
  expect(usualSlots('2026-11-20', week, () => null)).toEqual(evening.slots)
  expect(usualSlots('2026-11-20', null, () => null)).toEqual(noSlots)
})

test('suggests no slots for a special day when the week has no hours', () => {
  const week = eachRow(() => ({ open: false, slots: noSlots }))
  expect(usualSlots('2026-11-20', week, () => null)).toEqual(noSlots)
})

test('mentions closed days on holidays only when they stay closed, one exists and the holidays have hours', () => {
  const schedule = openOn('木金土日月', { 祝前日: lunch, closedDaysFirst: true })
  expect(formatClosedDays(schedule)).toBe('定休日は、祝日や祝前日でもお休みいたします。')
  expect(formatClosedDays({ ...schedule, closedDaysFirst: false })).toBe('')
  expect(formatClosedDays({ ...schedule, 祝前日: { open: true, slots: noSlots } })).toBe('')
  expect(formatClosedDays(openOn('月火水木金土日', { 祝前日: lunch, closedDaysFirst: true }))).toBe('')
})

test('asks about each usual slot whose place is empty and that no changed slot overlaps', () => {
  const slot = (start: string, end: string) => ({ start, end })
  const usual = [{ open: true, slots: [slot('07:30', '10:00'), slot('11:30', '14:00')] }]
  const missing = (slots: Hours['slots'], reason = '営業時間変更') => missingSlots({ reason, slots }, usual)
  const first = '通常の第1部（7:30〜10:00）がなくなります。'
  const question = 'このまま保存しますか？'
  expect(missing([slot('08:00', '09:00'), slot('18:00', '20:00')])).toEqual([])
  expect(missing([null, slot('09:59', '14:00')])).toEqual([])
  expect(missing([null, slot('06:00', '07:31')])).toEqual([])
  expect(missing([null, slot('10:00', '14:00')])).toEqual([first, question])
  expect(missing([null, slot('06:00', '07:30')])).toEqual([first, question])
  expect(missing(noSlots)).toEqual([first, '通常の第2部（11:30〜14:00）がなくなります。', question])
  expect(missing(noSlots, '臨時営業')).toEqual([])
})
