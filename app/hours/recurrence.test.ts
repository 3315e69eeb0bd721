import { describe, expect, test } from 'vitest'
import { listDays, type Recurrence } from './recurrence.ts'

// 1 December 2026 is a Tuesday.
const listTuesdays = (rhythm: Recurrence, last = '2027-01-05') =>
  listDays({ first: '2026-12-01', last, rhythm, weekday: 2 }).map((day) => day.slice(5))

describe('listDays', () => {
  test('includes the first and the last day of a daily, weekly or biweekly recurrence', () => {
    expect(listTuesdays('毎日', '2026-12-03')).toEqual(['12-01', '12-02', '12-03'])
    expect(listDays({ first: '2026-12-03', last: '2026-12-03', rhythm: '毎日', weekday: 2 })).toEqual(['2026-12-03'])
    expect(listTuesdays('毎週')).toEqual(['12-01', '12-08', '12-15', '12-22', '12-29', '01-05'])
    expect(listTuesdays('隔週')).toEqual(['12-01', '12-15', '12-29'])
  })

  test('counts every second week from the first matching weekday', () => {
    expect(listDays({ first: '2026-12-24', last: '2027-01-20', rhythm: '隔週', weekday: 2 })).toEqual([
      '2026-12-29',
      '2027-01-12',
    ])
  })

  test('counts the first to the fifth weekday within each month', () => {
    expect(listTuesdays('第1')).toEqual(['12-01', '01-05'])
    expect(listTuesdays('第2')).toEqual(['12-08'])
    expect(listTuesdays('第5')).toEqual(['12-29'])
    expect(listTuesdays('第5', '2026-12-28')).toEqual([])
    // The seventh day of a month is still the first of its weekday. The eighth day is the second of its weekday.
    const mondays = { first: '2026-12-01', last: '2026-12-31', weekday: 1 }
    expect(listDays({ ...mondays, rhythm: '第1' })).toEqual(['2026-12-07'])
    expect(listDays({ ...mondays, rhythm: '第2' })).toEqual(['2026-12-14'])
  })

  test('finds the last weekday of each month', () => {
    const saturdays = { first: '2026-11-01', last: '2027-01-31', rhythm: '最終', weekday: 6 } as const
    expect(listDays(saturdays)).toEqual(['2026-11-28', '2026-12-26', '2027-01-30'])
  })
})
