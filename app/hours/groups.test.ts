import { expect, test } from 'vitest'
import { noHours, scheduleRows } from './business-day.ts'
import { daysFromMonday, groupsOf, hoursPrefix, placeField, rowSaid } from './groups.ts'
import type { Hours, Schedule, ScheduleRow } from './schedule.ts'
import { randomFrom, randomWeek } from './testing-worlds.ts'

const lunch = { ...noHours, starttime1_hour: '11', endtime1_hour: '14' }
const dinner = { ...noHours, starttime1_hour: '17', endtime1_hour: '22' }
const open = (hours: Hours): ScheduleRow => ({ open_or_close: 'open', ...hours })
const closed = (hours: Hours): ScheduleRow => ({ open_or_close: 'close', ...hours })
const week = (usual: ScheduleRow, given: Partial<Schedule> = {}) =>
  ({ ...Object.fromEntries(scheduleRows.map((name) => [name, usual])), ...given }) as Schedule
const placesIn = (schedule: Schedule | null) => {
  const { places } = groupsOf(schedule)
  return daysFromMonday.map((name) => places[name]).join(' ')
}
/** What the form sends as it first stands there. */
const sentOf = (schedule: Schedule | null) => {
  const { groups, places } = groupsOf(schedule)
  const hours = groups.flatMap((group, index) =>
    Object.entries(group).map(([field, value]) => [hoursPrefix(String(index + 1)) + field, value]),
  )
  return Object.fromEntries([...daysFromMonday.map((name) => [placeField(name), places[name]]), ...hours])
}

test('before anything was saved every weekday is in the first group, and has no hours', () => {
  expect(groupsOf(null).groups).toEqual([noHours])
  expect(placesIn(null)).toBe('1 1 1 1 1 1 1 usual usual')
})

test('days with the same hours are together, from Monday on; closed ones and those as their weekday apart', () => {
  const asUsual = { 祝日: open(noHours), 祝前日: closed(lunch) }
  const schedule = week(open(lunch), { 日曜日: open(dinner), 火曜日: closed(lunch), ...asUsual })
  expect(groupsOf(schedule).groups).toEqual([lunch, dinner])
  expect(placesIn(schedule)).toBe('1 closed 1 1 1 1 2 usual closed')
  // A weekday that is open without hours is in a group like any other.
  expect(placesIn(week(open(lunch), { 木曜日: open(noHours) }))).toBe('1 1 1 2 1 1 1 1 1')
  // One field is enough to tell two apart.
  const odd = { ...lunch, endtime2_minute: '07', endtime2_hour: '01' }
  expect(placesIn(week(open(lunch), { 祝前日: open(odd) }))).toBe('1 1 1 1 1 1 1 1 2')
})

test('where every day is closed there is a group to open one in, with hours that a day has kept', () => {
  const schedule = week(closed(noHours), { 土曜日: closed(dinner) })
  expect(groupsOf(schedule).groups).toEqual([dinner])
  expect(placesIn(schedule)).toBe(daysFromMonday.map(() => 'closed').join(' '))
})

test('a day that is closed keeps the times that it has, one that is opened gets those of its group', () => {
  const schedule = week(open(lunch), { 土曜日: closed(dinner) })
  const sent = { ...sentOf(schedule), 'day.月曜日': 'closed', 'day.土曜日': '1', 'day.祝日': 'usual' }
  expect(rowSaid('月曜日', sent, schedule)).toEqual(closed(lunch))
  expect(rowSaid('月曜日', sent, null)).toEqual(closed(noHours))
  expect(rowSaid('土曜日', sent, schedule)).toEqual(open(lunch))
  expect(rowSaid('祝日', sent, schedule)).toEqual(open(noHours))
})

test('whatever week is stored, its groups say that week', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const schedule = randomWeek(randomFrom(seed))
    const sent = sentOf(schedule)
    const said = Object.fromEntries(scheduleRows.map((name) => [name, rowSaid(name, sent, schedule)]))
    expect({ seed, said }).toEqual({ seed, said: schedule ?? week(open(noHours)) })
  }
})
