import type { Db } from '../../db/tables.ts'
import { daysFrom, formatFullDay } from '../dates/month.ts'
import { Rejection } from '../forms/outcome.ts'
import { readDays } from '../hours/business-days.server.ts'
import { MAX_OCCURRENCES, type Repetition } from './event.ts'
import { LAST_DAY, listOccurrences } from './series.ts'

// A longer series would have to read the hours of every day of many years.
const MAX_DAYS = 2 * MAX_OCCURRENCES

/**
 * Returns the days of a new series, and their description. Skipped days do not count as times. Throws a `Rejection` if
 * the series has no day or too many days.
 */
export async function readOccurrences(db: Db, repetition: Repetition) {
  const { day, recurrence, until, times, skipsClosedDays, skipsHolidays } = repetition
  const occurrences = listOccurrences(recurrence, day, until ?? LAST_DAY)
  const all = occurrences.slice(0, MAX_DAYS)
  const skips = skipsClosedDays || skipsHolidays
  const hours = skips ? await readDays(db, day, daysFrom(day, all.at(-1) ?? day) + 1) : []
  const skipped = hours.filter(
    ({ state, holiday }) => (skipsClosedDays && state === 'closed') || (skipsHolidays && holiday),
  )
  const skippedDays = new Set(skipped.map((each) => each.day))
  const days = all.filter((each) => !skippedDays.has(each)).slice(0, times ?? undefined)
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) throw new Rejection({ errors: { until: ['休みを除くと、予定の日がありません'] } }, 400)
  if (days.length > MAX_OCCURRENCES)
    throw new Rejection({ errors: { until: [`くり返しは${MAX_OCCURRENCES}回までです`] } }, 400)
  if (occurrences.length > MAX_DAYS && days.length < (times ?? MAX_DAYS))
    throw new Rejection({ errors: { until: [`休みの日も数えて${MAX_DAYS}日を超えるくり返しは登録できません`] } }, 400)
  const skippedCount = all.filter((each) => each <= (times ? last : LAST_DAY)).length - days.length
  const skippedText = skippedCount > 0 ? `（休みの${skippedCount}日を除きました）` : ''
  const description = `全${days.length}回、${formatFullDay(first)}から${formatFullDay(last)}までです${skippedText}。`
  return { days, description }
}
