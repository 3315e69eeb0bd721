import { noHours, scheduleRows, slotsOf } from './business-day.ts'
import type { Hours, Schedule } from './schedule.ts'
import { firstHours, fromMonday } from './week.ts'

export type DayOfWeek = (typeof scheduleRows)[number]

export const daysFromMonday: readonly DayOfWeek[] = [...fromMonday, '祝日', '祝前日']

/** Rows that may follow the hours of the weekday. */
export const extraDays: readonly DayOfWeek[] = ['祝日', '祝前日']

export const groupNumbers = scheduleRows.map((_, index) => String(index + 1))

/** Field names of a week in groups: the place of each day, and the hours of each group. */
export const groupFields = [
  ...['closedDaysFirst', 'closedDays'],
  ...scheduleRows.map((name) => placeField(name)),
  ...groupNumbers.flatMap((number) => Object.keys(noHours).map((field) => hoursPrefix(number) + field)),
]

/** Returns the field of a day's place: a group number, `closed`, or `usual` (as its weekday). */
export function placeField(name: DayOfWeek) {
  return `day.${name}`
}

/** Whether closed days stay closed; the confirmation overrides the checkbox. Undefined if nobody has ever chosen. */
export function closedDaysFirstIn(values: Record<string, string | undefined>, current: Schedule | null) {
  if (values.closedDays) return values.closedDays === 'closed'
  return values.closedDaysFirst === 'yes' || (current?.closedDaysFirst === undefined ? undefined : false)
}

export function hoursPrefix(number: string) {
  return `group${number}.`
}

/** Groups the days by equal hours. There is always a first group; without a saved week, it has all weekdays. */
export function groupsOf(schedule: Schedule | null) {
  const groups: Hours[] = []
  const places = daysFromMonday.map((name) => [name, placeIn(groups, name, schedule)] as const)
  if (groups.length === 0) groups.push(firstHours(schedule ? daysFromMonday.map((name) => schedule[name]) : []))
  return { groups, places: Object.fromEntries(places) as Record<DayOfWeek, string> }
}

function placeIn(groups: Hours[], name: DayOfWeek, schedule: Schedule | null) {
  const { open_or_close, ...hours } = schedule?.[name] ?? { open_or_close: 'open', ...noHours }
  if (open_or_close === 'close') return 'closed'
  if (extraDays.includes(name) && slotsOf(hours).length === 0) return 'usual'
  const found = groups.findIndex((group) => fieldsOf(hours).every(([field, value]) => group[field] === value))
  return String(found >= 0 ? found + 1 : groups.push(hours))
}

/** Returns a day's submitted row, unvalidated. A closed day retains its times of the `current` week. */
export function rowSaid(name: DayOfWeek, values: Record<string, string | undefined>, current: Schedule | null) {
  const place = values[placeField(name)] ?? ''
  if (place === 'closed') return { ...noHours, ...current?.[name], open_or_close: 'close' as const }
  const sent = fieldsOf(noHours).map(([field, none]) => [field, values[hoursPrefix(place) + field] ?? none])
  return { ...noHours, ...Object.fromEntries(sent), open_or_close: 'open' as const }
}

function fieldsOf(hours: Hours) {
  return (Object.keys(noHours) as (keyof Hours)[]).map((field) => [field, hours[field]] as const)
}
