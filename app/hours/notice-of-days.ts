import { addDays, type Day, daysFrom, formatDay } from '../dates/month.ts'
import type { NextLink } from '../forms/save-result.ts'
import { formatSpans, isClosure, type SpecialDay, spansOf } from './business-day.ts'

const MAX_LISTED_DAYS = 5
const DAYS_AHEAD = 7

/**
 * Returns a link to a new notice about special days, with a prepared text. The notice is shown from a week before the
 * first day until the end of the last day. Returns an empty object if the days are past or too many to list.
 */
export function linkToNotice(days: Day[], special: Omit<SpecialDay, 'day'>, today: Day): { next?: NextLink } {
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const isUnbroken = daysFrom(first, last) === days.length - 1
  if (last < today || (!isUnbroken && days.length > MAX_LISTED_DAYS)) return {}
  const when = isUnbroken && first !== last ? `${formatDay(first)}〜${formatDay(last)}` : days.map(formatDay).join('、')
  const start = addDays(first, -DAYS_AHEAD)
  const values = new URLSearchParams({
    text: [describe(when, special), special.note].filter(Boolean).join('\n'),
    shownFrom: start > today ? `${start}T00:00` : '',
    shownUntil: `${addDays(last, 1)}T00:00`,
  })
  return { next: { to: `/notices/new/add?${values}`, label: 'お知らせを書く' } }
}

function describe(when: string, { reason, cause, slots }: Omit<SpecialDay, 'day'>) {
  const hours = isClosure(reason) ? '' : formatSpans(spansOf(slots))
  const details = [cause, hours].filter(Boolean).join('、')
  const end = details && `（${details}）`
  if (reason === '営業時間変更') return `${when}は営業時間を変更いたします${end}。`
  return /(?:休業|営業)$/.test(reason) ? `${when}は${reason}いたします${end}。` : `${when}は${reason}です${end}。`
}
