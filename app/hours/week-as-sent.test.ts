import { expect, test } from 'vitest'
import { noHours, scheduleRows } from './business-day.ts'
import type { DayOfWeek } from './groups.ts'
import type { Schedule } from './schedule.ts'
import { weekOfGroups } from './week-as-sent.ts'

const group = (number: number, start: string, end: string) =>
  Object.fromEntries(
    Object.entries({ ...noHours, starttime1_hour: start, endtime1_hour: end }).map(([field, value]) => [
      `group${number}.${field}`,
      value,
    ]),
  )
const everyDay = (place: string) => Object.fromEntries(scheduleRows.map((name) => [`day.${name}`, place]))
const sent = (given: Record<string, string> = {}) => ({ ...everyDay('1'), ...group(1, '11', '21'), ...given })
const rowOf = (schedule: Schedule | undefined, name: DayOfWeek) => {
  const { open_or_close, starttime1_hour, endtime1_hour } = schedule?.[name] ?? {}
  return `${open_or_close} ${starttime1_hour}-${endtime1_hour}`
}

test('each day has the hours of its group, is closed, or is as its weekday', () => {
  const places = { 'day.火曜日': 'closed', 'day.土曜日': '3', 'day.祝日': 'usual', 'day.祝前日': '3' }
  const { schedule } = weekOfGroups(sent({ ...places, ...group(3, '9', '23') }), null)
  expect(scheduleRows.map((name) => rowOf(schedule, name))).toEqual([
    'open 11-21',
    'open 11-21',
    'close 00-00',
    'open 11-21',
    'open 11-21',
    'open 11-21',
    'open 09-23',
    'open 00-00',
    'open 09-23',
  ])
})

test('a closed day keeps its times', () => {
  const { schedule: before = null } = weekOfGroups(sent(), null)
  const { schedule } = weekOfGroups(sent({ ...everyDay('closed'), ...group(1, '07', '07') }), before)
  expect(rowOf(schedule, '水曜日')).toBe('close 11-21')
})

test('a group without a day says nothing, whatever stands in it', () => {
  expect(weekOfGroups(sent({ ...group(2, '10', '10'), 'group3.starttime1_hour': '七' }), null).errors).toBeUndefined()
})

test('a group may be open without hours, as a row may', () => {
  expect(rowOf(weekOfGroups(sent(group(1, '00', '00')), null).schedule, '月曜日')).toBe('open 00-00')
})

test.each([
  [{ ...group(2, '10', '10'), 'day.土曜日': '2' }, { 'group2.endtime1_hour': /^開始と終了が同じ時刻です。/ }],
  [group(1, '24', '10'), { 'group1.starttime1_hour': /^時は0から23までで選んでください$/ }],
  [{ 'day.土曜日': '2' }, { 'group2.endtime2_minute': /^分は0から59までで選んでください$/ }],
  [{ 'day.土曜日': '10' }, { 'day.土曜日': /^土曜日の営業時間を選んでください$/ }],
  [{ 'day.土曜日': 'usual' }, { 'day.土曜日': /^土曜日の営業時間を選んでください$/ }],
  [{ 'day.祝日': '' }, { 'day.祝日': /^祝日の営業時間を選んでください$/ }],
] as [Record<string, string>, Record<string, RegExp>][])('%j is refused at %j', (given, expected) => {
  const { schedule, errors } = weekOfGroups(sent(given), null)
  expect(schedule).toBeUndefined()
  for (const [field, sentence] of Object.entries(expected)) expect(errors?.[field]?.join()).toMatch(sentence)
})

test('without a day at all, each is asked for', () => {
  expect(Object.keys(weekOfGroups({}, null).errors ?? {}).sort()).toEqual(
    scheduleRows.map((name) => `day.${name}`).sort(),
  )
})
