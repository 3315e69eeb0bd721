import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day } from '../dates/month.ts'
import { eachRow } from './business-day.ts'
import { type HourFields, hourFields, noHourFields, parseSlots } from './hour-fields.ts'
import type { Row, Scenario } from './testing-reference.ts'

/** Returns a seeded generator (mulberry32) of integers from 0 to `below` - 1, for reproducible tests. */
export function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}

const reasons = ['臨時休業', '営業時間変更', '臨時営業', '設備点検のため休業します']
const causes = ['', '', '貸切', '法事のため']
const notes = ['', '', '20:00からは貸切です。', 'ご迷惑をおかけします。']

/** Returns a random week that an editor can save, or null if no week is saved. */
export function randomWeek(random: (below: number) => number) {
  const row = (): Row => ({
    open_or_close: random(4) === 0 ? 'close' : 'open',
    ...(random(5) === 0 ? noHourFields : randomHours(random)),
  })
  return random(10) === 0 ? null : eachRow(row)
}

/** Returns a random special day that an editor can save. */
export function randomSpecial(random: (below: number) => number) {
  const pick = (texts: string[]) => texts[random(texts.length)] ?? ''
  return { reason: pick(reasons), cause: pick(causes), note: pick(notes), hours: randomHours(random) }
}

// Generates new hours if a slot has equal start and end, because an editor cannot save such a slot.
function randomHours(random: (below: number) => number): HourFields {
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  const drawnFields = hourFields.map((name) => [name, twoDigits(name.endsWith('hour') ? random(24) : random(4) * 15)])
  const emptySlot = random(4)
  const absentFields = hourFields.filter(
    (name) => (emptySlot === 1 && name.includes('2_')) || (emptySlot === 2 && name.includes('1_')),
  )
  const hours: HourFields = {
    ...Object.fromEntries(drawnFields),
    ...Object.fromEntries(absentFields.map((name) => [name, '00'])),
  }
  const isEmpty = parseSlots((name) => hours[name]).some((slot) => slot && slot.start === slot.end)
  return isEmpty ? randomHours(random) : hours
}

/**
 * Returns a random instant of 2026 (milliseconds since 1970) and random hours of six days, starting with the day before
 * the instant.
 */
export function randomScenario(seed: number): { now: number; first: Day; scenario: Scenario } {
  const random = createRandom(seed)
  const week = randomWeek(random)
  const now = Date.parse('2026-01-01T00:00:00Z') + random(366 * 24 * 60) * 60_000
  const first = addDays(dayInJapan(now), -1)
  const days = Array.from({ length: 6 }, (_, index) => addDays(first, index))
  const drawDays = () => days.filter(() => random(4) === 0)
  const specials = new Map(drawDays().map((day) => [day, randomSpecial(random)]))
  const holidays = new Map(drawDays().map((day) => [day, '祝日']))
  return { now, first, scenario: { week, specials, holidays, closedDaysFirst: random(2) === 0 } }
}
