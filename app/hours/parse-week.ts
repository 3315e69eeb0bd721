import { z } from 'zod'
import type { FieldErrors } from '../forms/save-result.ts'
import { fieldErrors } from '../ui/field-errors.ts'
import { type DayOfWeek, eachRow, type Hours, noSlots, type Schedule } from './business-day.ts'
import { closedDaysFirstIn, groupNumbers, placesFor } from './groups.ts'
import { SavedSchedule, SavedSlots } from './schedule.ts'

type Values = Record<string, string>
type Parsed = { schedule: Schedule; errors?: undefined } | { schedule?: undefined; errors: FieldErrors }

export function parseWeekOfRows(values: Values, current: Schedule | null): Parsed {
  const read = SavedSchedule.safeParse({ ...nested(values), closedDaysFirst: closedDaysFirstIn(values, current) })
  return read.success ? { schedule: read.data } : { errors: fieldErrors(read.error.issues) }
}

/** Parses `groupFields`. Ignores groups without a day; a closed day retains its slots of the `current` week. */
export function parseWeekOfGroups(values: Values, current: Schedule | null): Parsed {
  const { day = {}, ...sent } = nested(values)
  const used = groupNumbers.filter((number) => Object.values(day).includes(number)).map((number) => `group${number}`)
  const groups = Object.fromEntries(used.map((name) => [name, sent[name] ?? {}]))
  const read = z
    .object({ day: Places })
    .catchall(SavedSlots)
    .safeParse({ day, ...groups })
  if (!read.success) return { errors: fieldErrors(read.error.issues) }
  const hoursOf = (name: DayOfWeek): Hours => {
    const place = read.data.day[name]
    if (place === 'closed') return { open: false, slots: current?.[name].slots ?? noSlots }
    return { open: true, slots: read.data[`group${place}`] ?? noSlots }
  }
  return { schedule: { ...eachRow(hoursOf), closedDaysFirst: closedDaysFirstIn(values, current) } }
}

const Places = z.object(eachRow((name) => z.enum(placesFor(name), `${name}の営業時間を選んでください`)))

// Nests each value by the prefix of its name: `日曜日.starttime1_hour` → { 日曜日: { starttime1_hour } }
function nested(values: Values) {
  const rows: Record<string, Values> = {}
  for (const [name, value] of Object.entries(values)) {
    const [row, field] = name.split('.')
    if (row && field) rows[row] = { ...rows[row], [field]: value }
  }
  return rows
}
