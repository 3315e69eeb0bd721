import { type DayOfWeek, noSlots, type Schedule, type Slots, scheduleRows, spansOf } from './business-day.ts'
import { hourFields } from './hour-fields.ts'
import { daysFromMonday, extraDays, firstSlots } from './week.ts'

export const groupNumbers = scheduleRows.map((_, index) => String(index + 1))

/** Field names of a week in groups: the group of each day, and the hours of each group. */
export const groupFields = [
  ...['closedDaysFirst', 'closedDays'],
  ...scheduleRows.map((name) => placeField(name)),
  ...groupNumbers.flatMap((number) => hourFields.map((field) => hoursPrefix(number) + field)),
]

/** Returns the valid assignments of a day: a group number, `closed`, or `usual` for the hours of its weekday. */
export function listAssignments(name: DayOfWeek) {
  return [...groupNumbers, 'closed', ...(extraDays.includes(name) ? ['usual'] : [])]
}

export function placeField(name: DayOfWeek) {
  return `day.${name}`
}

/** Whether closed days stay closed. The confirmation overrides the checkbox. Undefined if nobody has chosen. */
export function readClosedDaysFirst(values: Record<string, string | undefined>, current: Schedule | null) {
  if (values.closedDays) return values.closedDays === 'closed'
  return values.closedDaysFirst === 'yes' || (current?.closedDaysFirst === undefined ? undefined : false)
}

export function hoursPrefix(number: string) {
  return `group${number}.`
}

/** Groups the days by equal slots. The first group always exists, with all weekdays if no week is saved. */
export function groupsOf(schedule: Schedule | null) {
  const groups: Slots[] = []
  const assignments = daysFromMonday.map((name) => [name, assignDay(groups, name, schedule)] as const)
  if (groups.length === 0) groups.push(firstSlots(schedule ? daysFromMonday.map((name) => schedule[name]) : []))
  return { groups, assignments: Object.fromEntries(assignments) as Record<DayOfWeek, string> }
}

function assignDay(groups: Slots[], name: DayOfWeek, schedule: Schedule | null) {
  const { open, slots } = schedule?.[name] ?? { open: true, slots: noSlots }
  if (!open) return 'closed'
  if (extraDays.includes(name) && spansOf(slots).length === 0) return 'usual'
  const groupIndex = groups.findIndex((group) => JSON.stringify(group) === JSON.stringify(slots))
  return String(groupIndex >= 0 ? groupIndex + 1 : groups.push(slots))
}
