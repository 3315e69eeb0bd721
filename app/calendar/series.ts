import type { Selectable } from 'kysely'
import type { EventRow } from '../../db/tables.ts'
import { type Day, weekdayOf } from '../dates/month.ts'
import { weekdays } from '../hours/business-day.ts'
import { isLastOfMonth, listDays, nthOfMonth } from '../hours/recurrence.ts'
import { t } from '../languages/language.ts'

/** Recurrences of a series: weekly, every second week, or the first to the fifth or the last weekday of a month. */
export const seriesRecurrences = ['毎週', '隔週', '第1', '第2', '第3', '第4', '第5', '最終'] as const
export type SeriesRecurrence = (typeof seriesRecurrences)[number]

/**
 * Columns of an event in a series. The series is the events with the same `seriesId`. `occurrence` is the day of the
 * event by the recurrence, also after a move of this event alone. `changedAlone`: whether this event was saved alone.
 */
export type SeriesColumns = Pick<Selectable<EventRow>, 'seriesId' | 'occurrence' | 'recurrence' | 'changedAlone'>
export const noSeries: SeriesColumns = { seriesId: null, occurrence: null, recurrence: null, changedAlone: false }

/** The events that a change includes: this occurrence, or this one and all later ones. */
export type Scope = 'one' | 'later'

/** Last day of the calendar. */
export const LAST_DAY: Day = '2100-12-31'

/** Returns the recurrences that can begin on a day. */
export function listRecurrences(day: Day) {
  return ['毎週', '隔週', nthOfMonth(day), ...(isLastOfMonth(day) ? ['最終'] : [])] as SeriesRecurrence[]
}

/** Returns the days of a recurrence that begins on `first`, until `last`. */
export function listOccurrences(recurrence: SeriesRecurrence, first: Day, last: Day) {
  return listDays({ first, last, rhythm: recurrence, weekday: weekdayOf(first) })
}

/**
 * Moves a recurrence that begins on `first`, so that it begins on `to`. Returns the recurrence, whose number in the month
 * may change, and its new days by the former days.
 */
export function moveRecurrence(recurrence: SeriesRecurrence, first: Day, to: Day) {
  const possible = listRecurrences(to)
  const moved = possible.includes(recurrence) ? recurrence : (possible[2] as SeriesRecurrence)
  const newDays = listOccurrences(moved, to, LAST_DAY)
  const days = new Map(listOccurrences(recurrence, first, LAST_DAY).map((day, index) => [day, newDays[index]]))
  return { recurrence: moved, days }
}

/** Formats a recurrence as 毎週土曜日, 毎月第2土曜日 or 毎月最終土曜日. */
export function formatRecurrence(recurrence: SeriesRecurrence, day: Day) {
  const month = recurrence.endsWith('週') ? '' : '毎月'
  return t(`${month}${recurrence}{weekday}`, { weekday: t(weekdays[weekdayOf(day)] ?? '') })
}
