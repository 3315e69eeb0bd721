import { noHours, scheduleRows, slotsOf } from './business-day.ts'
import type { Hours, Schedule } from './schedule.ts'
import { fromMonday } from './week.ts'

export type DayOfWeek = (typeof scheduleRows)[number]

/** The rows of the week as the groups show them. */
export const daysFromMonday: readonly DayOfWeek[] = [...fromMonday, '祝日', '祝前日']

/** The rows that may be left to the weekday. */
export const extraDays: readonly DayOfWeek[] = ['祝日', '祝前日']

/** As many groups as there are rows. */
export const groupNumbers = scheduleRows.map((_, index) => String(index + 1))

/** The fields of a week that is sent in groups: of each day its place, and the hours of each group. */
export const groupFields = [
  ...['closedDaysFirst', 'closedDays'],
  ...scheduleRows.map((name) => placeField(name)),
  ...groupNumbers.flatMap((number) => Object.keys(noHours).map((field) => hoursPrefix(number) + field)),
]

/** The field that says where a day is: in the group of this number, `closed`, or `usual`, which is as its weekday. */
export function placeField(name: DayOfWeek) {
  return `day.${name}`
}

/**
 * Whether a sent form keeps closed days closed: the answer to the question goes before the checkbox. Undefined if nobody
 * has chosen, with the `current` week neither.
 */
export function closedDaysFirstIn(values: Record<string, string | undefined>, current: Schedule | null) {
  if (values.closedDays) return values.closedDays === 'closed'
  return values.closedDaysFirst === 'yes' || (current?.closedDaysFirst === undefined ? undefined : false)
}

/** What stands before the names of a group's hours. */
export function hoursPrefix(number: string) {
  return `group${number}.`
}

/**
 * The days that have the same hours, together, each group where its first day is; and of each day its place. There is a
 * first group even where every day is closed; as long as nothing was saved each weekday is in it.
 */
export function groupsOf(schedule: Schedule | null) {
  const groups: Hours[] = []
  const places = daysFromMonday.map((name) => [name, placeIn(groups, name, schedule)] as const)
  if (groups.length === 0) groups.push(hoursKept(schedule))
  return { groups, places: Object.fromEntries(places) as Record<DayOfWeek, string> }
}

function placeIn(groups: Hours[], name: DayOfWeek, schedule: Schedule | null) {
  const { open_or_close, ...hours } = schedule?.[name] ?? { open_or_close: 'open', ...noHours }
  if (open_or_close === 'close') return 'closed'
  if (extraDays.includes(name) && slotsOf(hours).length === 0) return 'usual'
  const found = groups.findIndex((group) => fieldsOf(hours).every(([field, value]) => group[field] === value))
  return String(found >= 0 ? found + 1 : groups.push(hours))
}

function hoursKept(schedule: Schedule | null): Hours {
  const row = schedule && daysFromMonday.map((name) => schedule[name]).find((each) => slotsOf(each).length > 0)
  return row ? (Object.fromEntries(fieldsOf(row)) as Hours) : noHours
}

/**
 * What the fields of such a form say of a day, as a row of the week with its times as they were sent. A day that is
 * closed keeps the times that it has in the `current` week.
 */
export function rowSaid(name: DayOfWeek, values: Record<string, string | undefined>, current: Schedule | null) {
  const place = values[placeField(name)] ?? ''
  if (place === 'closed') return { ...noHours, ...current?.[name], open_or_close: 'close' as const }
  const sent = fieldsOf(noHours).map(([field, none]) => [field, values[hoursPrefix(place) + field] ?? none])
  return { ...noHours, ...Object.fromEntries(sent), open_or_close: 'open' as const }
}

function fieldsOf(hours: Hours) {
  return (Object.keys(noHours) as (keyof Hours)[]).map((field) => [field, hours[field]] as const)
}
