import { expect, test } from 'vitest'
import { often } from '../../scripts/abuse.ts'
import { addDays, type Day, dayInJapan, minuteInJapan, weekdayOf } from '../calendar/month.ts'
import { type BusinessRules, dayState, noHours, openNow, scheduleRows } from './business-day.ts'
import type { Hours, Schedule, ScheduleRow } from './schedule.ts'

// A second implementation, slow and plain: it walks the minutes one by one.
const weekdayNames = '日月火水木金土'

function slowDay(day: Day, { schedule, specialDay, holiday }: BusinessRules) {
  const special = specialDay(day)
  if (special) {
    if (special.reason.indexOf('休業') >= 0) return { open: false, label: special.reason, minutes: never }
    return { open: true, label: special.reason, minutes: minutesOf(special.hours) }
  }
  if (!schedule) return null
  const says = (row: ScheduleRow) => row.open_or_close === 'close' || minutesOf(row).size > 0
  let row = schedule[`${weekdayNames[weekdayOf(day)]}曜日` as keyof Schedule]
  if (holiday(addDays(day, 1)) && says(schedule.祝前日)) row = schedule.祝前日
  if (holiday(day) && says(schedule.祝日)) row = schedule.祝日
  return row.open_or_close === 'close'
    ? { open: false, label: '定休日', minutes: never }
    : { open: true, label: '', minutes: minutesOf(row) }
}

// The minutes of a day's hours, from its midnight; those of the next morning are above 1439.
function minutesOf(hours: Hours) {
  const open = new Uint8Array(2880)
  let size = 0
  for (const slot of ['1', '2'] as const) {
    const at = (edge: 'start' | 'end') =>
      Number(hours[`${edge}time${slot}_hour`]) * 60 + Number(hours[`${edge}time${slot}_minute`])
    const [start, end] = [at('start'), at('end')]
    if (start === end) continue
    for (let minute = start; minute % 1440 !== end; minute += 1) {
      if (!open[minute]) size += 1
      open[minute] = 1
    }
  }
  return { size, has: (minute: number) => open[minute] === 1, first: open.indexOf(1) }
}
const never = { size: 0, has: () => false, first: -1 }

function slowNow(now: number, first: Day, count: number, rules: BusinessRules) {
  const days = Array.from({ length: count }, (_, index) => slowDay(addDays(first, index), rules))
  const today = 1
  const openAt = (minute: number) => days.some((day, index) => day?.minutes.has(minute - (index - today) * 1440))
  const minute = minuteInJapan(now)
  if (openAt(minute)) {
    let until = minute
    while (openAt(until)) until += 1
    return { state: 'open', until, closingSoon: until - minute <= 30 }
  }
  const state = days[today]
  if (!state) return { state: 'unknown' }
  if (state.open && state.minutes.size === 0) return { state: 'open', until: 1440, closingSoon: false }
  for (let later = minute + 1; later < 1440; later += 1)
    if (state.minutes.has(later)) return { state: 'closed', opens: { day: addDays(first, today), at: later } }
  for (let index = today + 1; index < count; index += 1) {
    const day = days[index]
    if (day?.open) {
      const opens = day.minutes.size > 0 ? day.minutes.first : null
      return { state: 'closed', opens: { day: addDays(first, index), at: opens } }
    }
  }
  return { state: 'closed', opens: null }
}

// A generator of its own (mulberry32), so that a failure names the seed that repeats it.
function randomFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}

function worldFrom(seed: number) {
  const random = randomFrom(seed)
  const two = (number: number) => String(number).padStart(2, '0')
  const hours = (): Hours => {
    const names = Object.keys(noHours) as (keyof Hours)[]
    const drawn = Object.fromEntries(
      names.map((name) => [name, two(name.endsWith('hour') ? random(24) : random(4) * 15)]),
    )
    const without = random(4)
    const absent = names.filter(
      (name) => (without === 1 && name.includes('2_')) || (without === 2 && name.includes('1_')),
    )
    return { ...(drawn as Hours), ...Object.fromEntries(absent.map((name) => [name, '00'])) }
  }
  const row = (): ScheduleRow => ({
    open_or_close: random(4) === 0 ? 'close' : 'open',
    ...(random(5) === 0 ? noHours : hours()),
  })
  const schedule = random(10) === 0 ? null : (Object.fromEntries(scheduleRows.map((name) => [name, row()])) as Schedule)
  const now = Date.parse('2026-01-01T00:00:00Z') + random(366 * 24 * 60) * 60_000
  const first = addDays(dayInJapan(now), -1)
  const reasons = ['臨時休業', '営業時間変更', '臨時営業', '設備点検のため休業します']
  const days = Array.from({ length: 6 }, (_, index) => addDays(first, index))
  const specials = new Map(
    days.filter(() => random(4) === 0).map((day) => [day, { day, reason: reasons[random(4)] ?? '', hours: hours() }]),
  )
  const holidays = new Set(days.filter(() => random(4) === 0))
  const rules: BusinessRules = {
    schedule,
    specialDay: (day) => specials.get(day) ?? null,
    holiday: (day) => (holidays.has(day) ? '祝日' : null),
  }
  return { now, first, rules }
}

test('random schedules, special days, holidays and instants give what the slow way gives', () => {
  for (let seed = 1; seed <= often(10_000, 100_000); seed += 1) {
    const { now, first, rules } = worldFrom(seed)
    const days = Array.from({ length: 4 }, (_, index) => dayState(addDays(first, index), rules))
    const { today: _, ...fast } = { today: null, ...openNow(now, days) }
    const slow = slowNow(now, first, 4, rules)
    if (JSON.stringify(fast) !== JSON.stringify(slow)) expect({ seed, ...fast }).toEqual({ seed, ...slow })

    const state = days[1]
    const plain = slowDay(addDays(first, 1), rules)
    const minutes = state?.slots.reduce((sum, { start, end }) => sum + end - start, 0)
    const said = [state?.state, minutes, state?.label]
    const expected = plain ? [plain.open ? 'open' : 'closed', plain.minutes.size, plain.label] : ['unknown', 0, '']
    if (said.join() !== expected.join()) expect({ seed, said }).toEqual({ seed, said: expected })
  }
}, 120_000)
