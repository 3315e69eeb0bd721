import { expect, test } from 'vitest'
import { noHours, scheduleRows } from './business-day.ts'
import type { Schedule } from './schedule.ts'
import { openWeekdaysInWords, rowsShown } from './week.ts'

const hours = { ...noHours, starttime1_hour: '11', endtime1_hour: '14' }
/** Open on these weekdays from 11 to 14, and otherwise as `given`. */
const openOn = (days: string, given: Partial<Schedule> = {}) => {
  const rows = scheduleRows.map((name) => {
    const extra = name.startsWith('祝')
    const open = extra || days.includes(name.slice(0, 1))
    return [name, { open_or_close: open ? 'open' : 'close', ...(extra ? noHours : hours) }]
  })
  return { ...Object.fromEntries(rows), ...given } as Schedule
}

test.each([
  ['月火水木金土日', '毎日11:00〜14:00に営業しております。'],
  ['木金土日月', '木曜日から月曜日までの11:00〜14:00に営業しております。火曜日・水曜日は定休日です。'],
  ['木土日月', '木曜日と、土曜日から月曜日までの11:00〜14:00に営業しております。火曜日・水曜日・金曜日は定休日です。'],
  ['月火木金', '月曜日・火曜日・木曜日・金曜日の11:00〜14:00に営業しております。水曜日・土曜日・日曜日は定休日です。'],
  ['日', '日曜日の11:00〜14:00に営業しております。月曜日・火曜日・水曜日・木曜日・金曜日・土曜日は定休日です。'],
  ['', '毎週決まった営業日はございません。'],
])('open on %s is said: %s', (days, sentence) => {
  expect(openWeekdaysInWords(openOn(days))).toBe(sentence)
})

test('hours that differ from day to day are left to the table', () => {
  const longer = { open_or_close: 'open' as const, ...hours, endtime1_hour: '15' }
  expect(openWeekdaysInWords(openOn('木金土日月', { 日曜日: longer }))).toBe(
    '木曜日から月曜日まで営業しております。火曜日・水曜日は定休日です。',
  )
})

test('the rows of holidays and of the days before them are shown only where they differ from a weekday', () => {
  const names = (schedule: Schedule) => rowsShown(schedule).map(({ name }) => name.replace('曜日', ''))
  const week = ['月', '火', '水', '木', '金', '土', '日']
  const asUsual = { open_or_close: 'open' as const, ...hours }
  expect(names(openOn('月火水木金土日'))).toEqual(week)
  expect(names(openOn('月火水木金土日', { 祝日: asUsual }))).toEqual(week)
  expect(names(openOn('木金土日月', { 祝日: asUsual }))).toEqual([...week, '祝日'])
  expect(names(openOn('', { 祝前日: { open_or_close: 'close', ...hours } }))).toEqual(week)
  expect(names(openOn('日', { 祝前日: { open_or_close: 'close', ...noHours } }))).toEqual([...week, '祝前日'])
})
