import { expect, test } from 'vitest'
import { eachRow, type Hours, noSlots, type Schedule, type Slots } from './business-day.ts'
import { groupsOf, hoursPrefix, placeField } from './groups.ts'
import { hourFieldsOf } from './hour-fields.ts'
import { parseWeekOfGroups } from './parse-week.ts'
import { StoredSchedule } from './schedule.ts'
import { createRandom, randomWeek } from './testing-scenarios.ts'
import { daysFromMonday } from './week.ts'

const lunch: Slots = [{ start: '11:00', end: '14:00' }, null]
const dinner: Slots = [{ start: '17:00', end: '22:00' }, null]
const open = (slots: Slots): Hours => ({ open: true, slots })
const closed = (slots: Slots): Hours => ({ open: false, slots })
const week = (usual: Hours, overrides: Partial<Schedule> = {}): Schedule => ({ ...eachRow(() => usual), ...overrides })
const formatAssignments = (schedule: Schedule | null) => {
  const { assignments } = groupsOf(schedule)
  return daysFromMonday.map((name) => assignments[name]).join(' ')
}
/** Returns the values that a browser sends if the form is unchanged. */
const formValuesOf = (schedule: Schedule | null): Record<string, string> => {
  const { groups, assignments } = groupsOf(schedule)
  const hours = groups.flatMap((group, index) =>
    Object.entries(hourFieldsOf(group)).map(([field, value]) => [hoursPrefix(String(index + 1)) + field, value]),
  )
  return Object.fromEntries([...daysFromMonday.map((name) => [placeField(name), assignments[name]]), ...hours])
}

test('puts every weekday in a first group without hours when no week is saved', () => {
  expect(groupsOf(null).groups).toEqual([noSlots])
  expect(formatAssignments(null)).toBe('1 1 1 1 1 1 1 usual usual')
})

test('groups days with equal slots from Monday on', () => {
  const asUsual = { 祝日: open(noSlots), 祝前日: closed(lunch) }
  const schedule = week(open(lunch), { 日曜日: open(dinner), 火曜日: closed(lunch), ...asUsual })
  expect(groupsOf(schedule).groups).toEqual([lunch, dinner])
  expect(formatAssignments(schedule)).toBe('1 closed 1 1 1 1 2 usual closed')
  // A weekday that is open without hours is also in a group.
  expect(formatAssignments(week(open(lunch), { 木曜日: open(noSlots) }))).toBe('1 1 1 2 1 1 1 1 1')
  // These days differ in one time, so they are in different groups.
  const oddSlots = [lunch[0] ?? null, { start: '00:00', end: '01:07' }]
  expect(formatAssignments(week(open(lunch), { 祝前日: open(oddSlots) }))).toBe('1 1 1 1 1 1 1 1 2')
})

test('offers one group with the slots of a closed day when every day is closed', () => {
  const schedule = week(closed(noSlots), { 土曜日: closed(dinner) })
  expect(groupsOf(schedule).groups).toEqual([dinner])
  expect(formatAssignments(schedule)).toBe(daysFromMonday.map(() => 'closed').join(' '))
})

test('retains the slots of a closed day and copies the group’s slots to an opened day', () => {
  const schedule = week(open(lunch), { 土曜日: closed(dinner) })
  const values = { ...formValuesOf(schedule), 'day.月曜日': 'closed', 'day.土曜日': '1', 'day.祝日': 'usual' }
  expect(parseWeekOfGroups(values, schedule).schedule).toMatchObject({
    月曜日: closed(lunch),
    土曜日: open(lunch),
    祝日: open(noSlots),
  })
  expect(parseWeekOfGroups(values, null).schedule?.月曜日).toEqual(closed(noSlots))
})

test('parses the groups of a random week back into the same week', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const stored = randomWeek(createRandom(seed))
    const schedule = stored && StoredSchedule.parse(stored)
    const parsed = parseWeekOfGroups(formValuesOf(schedule), schedule).schedule
    expect({ seed, parsed }).toEqual({ seed, parsed: schedule ?? week(open(noSlots)) })
  }
})
