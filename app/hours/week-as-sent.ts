import { z } from 'zod'
import type { FieldErrors } from '../forms/save-answer.ts'
import { fieldErrors } from '../ui/field-errors.ts'
import { scheduleRows } from './business-day.ts'
import { closedDaysFirstIn, extraDays, groupNumbers, rowSaid } from './groups.ts'
import { Hours, refuseEmptySlots, SavedSchedule, Schedule } from './schedule.ts'

type Values = Record<string, string>
type Read = { schedule: Schedule; errors?: undefined } | { schedule?: undefined; errors: FieldErrors }

export function weekOfRows(values: Values, current: Schedule | null): Read {
  const read = SavedSchedule.safeParse({ ...nested(values), closedDaysFirst: closedDaysFirstIn(values, current) })
  return read.success ? { schedule: read.data } : { errors: fieldErrors(read.error.issues) }
}

/** Parses `groupFields`. Ignores groups without a day; a closed day retains its times of the `current` week. */
export function weekOfGroups(values: Values, current: Schedule | null): Read {
  const sent = nested(values)
  const places = Object.values(sent.day ?? {})
  const used = groupNumbers.filter((number) => places.includes(number)).map((number) => `group${number}`)
  const each = <What>(what: What) => Object.fromEntries(used.map((name) => [name, what]))
  const read = z.object({ day: Places, ...each(GroupHours) }).safeParse({ day: {}, ...each({}), ...sent })
  if (!read.success) return { errors: fieldErrors(read.error.issues) }
  const rows = scheduleRows.map((name) => [name, rowSaid(name, values, current)])
  return {
    schedule: Schedule.parse({ ...Object.fromEntries(rows), closedDaysFirst: closedDaysFirstIn(values, current) }),
  }
}

const GroupHours = Hours.superRefine((hours, context) => refuseEmptySlots(hours, context))

const Places = z.object(
  Object.fromEntries(
    scheduleRows.map((name) => {
      const places = [...groupNumbers, 'closed', ...(extraDays.includes(name) ? ['usual'] : [])]
      return [name, z.enum(places, `${name}の営業時間を選んでください`)]
    }),
  ),
)

// `日曜日.starttime1_hour` → { 日曜日: { starttime1_hour } }
function nested(values: Values) {
  const rows: Record<string, Record<string, string>> = {}
  for (const [name, value] of Object.entries(values)) {
    const [row, field] = name.split('.')
    if (row && field) rows[row] = { ...rows[row], [field]: value }
  }
  return rows
}
