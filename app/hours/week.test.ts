import { expect, test } from 'vitest'
import { eachRow, type Hours, noSlots, type Schedule } from './business-day.ts'
import { formatOpenWeekdays, weekRows } from './week.ts'

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
