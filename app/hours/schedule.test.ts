import { expect, test } from 'vitest'
import { noHours, scheduleRows } from './business-day.ts'
import { Hours, SavedSchedule, SpecialDays } from './schedule.ts'

const errorsOf = (read: ReturnType<typeof SpecialDays.safeParse> | ReturnType<typeof SavedSchedule.safeParse>) =>
  (read.error?.issues ?? []).map(({ path }) => path.join('.'))

test('times are read as numbers or as text, of one digit or two, and kept as two', () => {
  expect(Hours.parse({ ...noHours, starttime1_hour: 7, endtime1_hour: '9', endtime1_minute: 59 })).toEqual({
    ...noHours,
    starttime1_hour: '07',
    endtime1_hour: '09',
    endtime1_minute: '59',
  })
  expect(Hours.parse({ ...noHours, endtime2_hour: '23' }).endtime2_hour).toBe('23')
  for (const wrong of ['24', '-1', '', '007', '1.5', '七', null])
    expect(Hours.safeParse({ ...noHours, starttime2_hour: wrong }).success, String(wrong)).toBe(false)
  expect(Hours.safeParse({ ...noHours, endtime2_minute: '60' }).success).toBe(false)
})

test('a week may not have a slot that ends when it begins, except on a closed day', () => {
  const empty = { ...noHours, starttime2_hour: '18', endtime2_hour: '18' }
  const week = (open_or_close: string) =>
    Object.fromEntries(scheduleRows.map((name) => [name, { open_or_close, ...(name === '祝前日' ? empty : noHours) }]))
  expect(errorsOf(SavedSchedule.safeParse(week('open')))).toEqual(['祝前日.endtime2_hour'])
  expect(errorsOf(SavedSchedule.safeParse(week('close')))).toEqual([])
  const { 水曜日: _, ...eight } = week('open')
  expect(SavedSchedule.safeParse(eight).success).toBe(false)
})

const closed = { first: '2026-12-10', last: '2026-12-10', rhythm: '毎日', weekday: '0', reason: '臨時休業', ...noHours }

test.each([
  [{ first: '2025-01-01', last: '2100-12-31' }, []],
  [{ last: '2026-12-11' }, []],
  [{ weekday: '6' }, []],
  [{ reason: `${'長'.repeat(38)}休業` }, []],
  [{ reason: '臨時休業', starttime1_hour: '10', endtime1_hour: '10' }, []],
  [{ reason: '営業時間変更', starttime1_hour: '10', endtime1_hour: '10' }, ['endtime1_hour']],
  [{ last: '2026-12-09' }, ['last']],
  [{ first: '2024-12-31' }, ['first']],
  [{ last: '2101-01-01' }, ['last']],
  [{ last: '2026-12-32' }, ['last']],
  [{ weekday: '7' }, ['weekday']],
  [{ weekday: '-1' }, ['weekday']],
  [{ weekday: '1.5' }, ['weekday']],
  [{ reason: '　' }, ['reason']],
  [{ reason: '長'.repeat(41) }, ['reason']],
  [{ reason: '\0' }, ['reason']],
] as [Partial<typeof closed>, string[]][])('special days with %j are refused at %j', (given, fields) => {
  expect(errorsOf(SpecialDays.safeParse({ ...closed, ...given }))).toEqual(fields)
})
