import { expect, test } from 'vitest'
import { scheduleRows } from './business-day.ts'
import { type HourFields, hourFieldsOf, noHourFields } from './hour-fields.ts'
import { SavedSchedule, SavedSlots, SpecialDays, StoredSlots } from './schedule.ts'

const errorsOf = (result: { error?: { issues: { path: PropertyKey[] }[] } | undefined }) =>
  (result.error?.issues ?? []).map(({ path }) => path.join('.'))

test('parses one-digit or two-digit times from numbers or text', () => {
  const result = StoredSlots.parse({ ...noHourFields, starttime1_hour: 7, endtime1_hour: '9', endtime1_minute: 59 })
  expect(result).toEqual([{ start: '07:00', end: '09:59' }, null])
  expect(hourFieldsOf(result)).toEqual({
    ...noHourFields,
    starttime1_hour: '07',
    endtime1_hour: '09',
    endtime1_minute: '59',
  })
  expect(StoredSlots.parse({ ...noHourFields, endtime2_hour: '23' })).toEqual([null, { start: '00:00', end: '23:00' }])
  for (const invalid of ['24', '-1', '', '007', '1.5', '七', null, ['7']])
    expect(StoredSlots.safeParse({ ...noHourFields, starttime2_hour: invalid }).success, String(invalid)).toBe(false)
  expect(StoredSlots.safeParse({ ...noHourFields, endtime2_minute: '60' }).success).toBe(false)
})

test('rejects a slot with equal start and end unless both are 00:00', () => {
  const listErrors = (values: Partial<HourFields>) => errorsOf(SavedSlots.safeParse({ ...noHourFields, ...values }))
  const both = { starttime1_hour: '10', endtime1_hour: '10', starttime2_hour: '18', endtime2_hour: '18' }
  expect(listErrors(both)).toEqual(['endtime1_hour', 'endtime2_hour'])
  expect(listErrors({ starttime2_minute: '30', endtime2_minute: '30' })).toEqual(['endtime2_hour'])
  expect(listErrors({ ...both, endtime1_hour: '22', endtime2_hour: '10', endtime2_minute: '30' })).toEqual([])
})

test('rejects a week when an open day has a slot with equal start and end', () => {
  const empty = { ...noHourFields, starttime2_hour: '18', endtime2_hour: '18' }
  const week = (open_or_close: string) =>
    Object.fromEntries(
      scheduleRows.map((name) => [name, { open_or_close, ...(name === '祝前日' ? empty : noHourFields) }]),
    )
  expect(errorsOf(SavedSchedule.safeParse(week('open')))).toEqual(['祝前日.endtime2_hour'])
  expect(errorsOf(SavedSchedule.safeParse(week('close')))).toEqual([])
  const { 水曜日: _, ...eight } = week('open')
  expect(SavedSchedule.safeParse(eight).success).toBe(false)
})

const closed = {
  first: '2026-12-10',
  last: '2026-12-10',
  rhythm: '毎日',
  weekday: '0',
  reason: '臨時休業',
  ...noHourFields,
}

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
] as [Partial<typeof closed>, string[]][])(
  'returns errors for special days with %j in the fields %j',
  (values, fields) => {
    expect(errorsOf(SpecialDays.safeParse({ ...closed, ...values }))).toEqual(fields)
  },
)
