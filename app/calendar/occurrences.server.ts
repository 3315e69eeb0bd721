import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { addDays, type Day, daysFrom, formatFullDay } from '../dates/month.ts'
import { Rejection } from '../forms/outcome.ts'
import { readDays } from '../hours/business-days.server.ts'
import { MAX_OCCURRENCES, MAX_SERIES_DAYS, type Repetition } from './event.ts'
import { LAST_DAY, listOccurrences } from './series.ts'

/**
 * Returns the days of a new series, and a description of them. Skipped days do not count as times. Throws a `Rejection`
 * if the series has no day or too many days.
 */
export async function readOccurrences(db: Kysely<Tables>, repetition: Repetition) {
  const { day, recurrence, until, times, skipsClosedDays, skipsHolidays } = repetition
  const limit = addDays(day, MAX_SERIES_DAYS)
  const last = until ?? (limit < LAST_DAY ? limit : LAST_DAY)
  const hours = skipsClosedDays || skipsHolidays ? await readDays(db, day, daysFrom(day, last) + 1) : []
  const skipped = hours.filter(
    ({ state, holiday }) => (skipsClosedDays && state === 'closed') || (skipsHolidays && holiday),
  )
  const skippedDays = new Set(skipped.map((each) => each.day))
  const all = listOccurrences(recurrence, day, last)
  const days = all.filter((each) => !skippedDays.has(each)).slice(0, times ?? undefined)
  if (days.length === 0) throw new Rejection({ errors: { until: ['休みを除くと、予定の日がありません'] } }, 400)
  if (days.length > MAX_OCCURRENCES)
    throw new Rejection({ errors: { until: [`くり返しは${MAX_OCCURRENCES}回までです`] } }, 400)
  const end = times ? (days.at(-1) ?? last) : last
  return { days, description: describeDays(days, all.filter((each) => each <= end).length - days.length) }
}

function describeDays(days: Day[], skippedCount: number) {
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const skipped = skippedCount > 0 ? `（休みの${skippedCount}日を除きました）` : ''
  return `全${days.length}回、${formatFullDay(first)}から${formatFullDay(last)}までです${skipped}。`
}
