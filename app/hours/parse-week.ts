import { z } from 'zod'
import type { FieldErrors } from '../forms/save-result.ts'
import { fieldErrors } from '../ui/field-errors.ts'
import { type DayOfWeek, eachRow, type Hours, noSlots, type Schedule } from './business-day.ts'
import { groupNumbers, listAssignments, readClosedDaysFirst } from './groups.ts'
import { SavedSchedule, SavedSlots } from './schedule.ts'

type Values = Record<string, string>
type Parsed = { schedule: Schedule; errors?: undefined } | { schedule?: undefined; errors: FieldErrors }

export function parseWeekOfRows(values: Values, current: Schedule | null): Parsed {
  const result = SavedSchedule.safeParse({
    ...nestByPrefix(values),
    closedDaysFirst: readClosedDaysFirst(values, current),
  })
  return result.success ? { schedule: result.data } : { errors: fieldErrors(result.error.issues) }
}

/** Parses the form in groups. Ignores a group that has no day. A closed day retains its slots of the `current` week. */
export function parseWeekOfGroups(values: Values, current: Schedule | null): Parsed {
  const { day = {}, ...sentGroups } = nestByPrefix(values)
  const usedGroups = groupNumbers
    .filter((number) => Object.values(day).includes(number))
    .map((number) => `group${number}`)
  const groups = Object.fromEntries(usedGroups.map((name) => [name, sentGroups[name] ?? {}]))
  const result = z
    .object({ day: Assignments })
    .catchall(SavedSlots)
    .safeParse({ day, ...groups })
  if (!result.success) return { errors: fieldErrors(result.error.issues) }
  const hoursOf = (name: DayOfWeek): Hours => {
    const assignment = result.data.day[name]
    if (assignment === 'closed') return { open: false, slots: current?.[name].slots ?? noSlots }
    return { open: true, slots: result.data[`group${assignment}`] ?? noSlots }
  }
  return { schedule: { ...eachRow(hoursOf), closedDaysFirst: readClosedDaysFirst(values, current) } }
}

const Assignments = z.object(eachRow((name) => z.enum(listAssignments(name), `${name}の営業時間を選んでください`)))

// Groups the values by the prefix of their names: `日曜日.starttime1_hour` becomes { 日曜日: { starttime1_hour } }.
function nestByPrefix(values: Values) {
  const rows: Record<string, Values> = {}
  for (const [name, value] of Object.entries(values)) {
    const [row, field] = name.split('.')
    if (row && field) rows[row] = { ...rows[row], [field]: value }
  }
  return rows
}
