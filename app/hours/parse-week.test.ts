import { describe, expect, test } from 'vitest'
import { type DayOfWeek, type Schedule, scheduleRows } from './business-day.ts'
import { noHourFields } from './hour-fields.ts'
import { parseWeekOfGroups } from './parse-week.ts'

const group = (number: number, start: string, end: string) =>
  Object.fromEntries(
    Object.entries({ ...noHourFields, starttime1_hour: start, endtime1_hour: end }).map(([field, value]) => [
      `group${number}.${field}`,
      value,
    ]),
  )
const everyDay = (assignment: string) => Object.fromEntries(scheduleRows.map((name) => [`day.${name}`, assignment]))
const weekValues = (overrides: Record<string, string> = {}) => ({
  ...everyDay('1'),
  ...group(1, '11', '21'),
  ...overrides,
})
const rowOf = (schedule: Schedule | undefined, name: DayOfWeek) => {
  const { open, slots = [] } = schedule?.[name] ?? {}
  return [open ? 'open' : 'close', ...slots.flatMap((slot) => (slot ? [`${slot.start}-${slot.end}`] : []))].join(' ')
}

describe('parseWeekOfGroups', () => {
  test('parses a day as the hours of its group, as closed or as its weekday', () => {
    const assignments = { 'day.火曜日': 'closed', 'day.土曜日': '3', 'day.祝日': 'usual', 'day.祝前日': '3' }
    const { schedule } = parseWeekOfGroups(weekValues({ ...assignments, ...group(3, '9', '23') }), null)
    expect(scheduleRows.map((name) => rowOf(schedule, name))).toEqual([
      'open 11:00-21:00',
      'open 11:00-21:00',
      'close',
      'open 11:00-21:00',
      'open 11:00-21:00',
      'open 11:00-21:00',
      'open 09:00-23:00',
      'open',
      'open 09:00-23:00',
    ])
  })

  test('retains the slots of a closed day', () => {
    const { schedule: before = null } = parseWeekOfGroups(weekValues(), null)
    const { schedule } = parseWeekOfGroups(weekValues({ ...everyDay('closed'), ...group(1, '07', '07') }), before)
    expect(rowOf(schedule, '水曜日')).toBe('close 11:00-21:00')
  })

  test('ignores invalid fields of a group that has no day', () => {
    expect(
      parseWeekOfGroups(weekValues({ ...group(2, '10', '10'), 'group3.starttime1_hour': '七' }), null).errors,
    ).toBeUndefined()
  })

  test('accepts a group that is open without hours', () => {
    expect(rowOf(parseWeekOfGroups(weekValues(group(1, '00', '00')), null).schedule, '月曜日')).toBe('open')
  })

  test.each([
    [{ ...group(2, '10', '10'), 'day.土曜日': '2' }, { 'group2.endtime1_hour': /^開始と終了が同じ時刻です。/ }],
    [group(1, '24', '10'), { 'group1.starttime1_hour': /^時は0から23までで選んでください$/ }],
    [{ 'day.土曜日': '2' }, { 'group2.endtime2_minute': /^分は0から59までで選んでください$/ }],
    [{ 'day.土曜日': '10' }, { 'day.土曜日': /^土曜日の営業時間を選んでください$/ }],
    [{ 'day.土曜日': 'usual' }, { 'day.土曜日': /^土曜日の営業時間を選んでください$/ }],
    [{ 'day.祝日': '' }, { 'day.祝日': /^祝日の営業時間を選んでください$/ }],
  ] as [Record<string, string>, Record<string, RegExp>][])('rejects %j with a field error', (overrides, expected) => {
    const { schedule, errors } = parseWeekOfGroups(weekValues(overrides), null)
    expect(schedule).toBeUndefined()
    for (const [field, sentence] of Object.entries(expected)) expect(errors?.[field]?.join()).toMatch(sentence)
  })

  test('reports an error for each day when the form contains no days', () => {
    expect(Object.keys(parseWeekOfGroups({}, null).errors ?? {}).sort()).toEqual(
      scheduleRows.map((name) => `day.${name}`).sort(),
    )
  })
})
