import { addDays, type Day } from '../dates/month.ts'
import { businessDayAt, type DayState } from '../hours/business-day.ts'

/**
 * Returns the end of the sold-out state in milliseconds since 1970. The end is the next opening on a later business day,
 * or the start of that day in Japan if the hours are unknown. Returns 0 if `soldOutAt` is before the first of the
 * consecutive `days`, because the shop has opened again since then.
 */
export function soldOutUntil(soldOutAt: string, days: DayState[]) {
  const soldOutDay = businessDayAt(Date.parse(soldOutAt), days)
  if (days[0] && days[0].day > soldOutDay) return 0
  const next = days.find(({ day, state }) => day > soldOutDay && state !== 'closed')
  return next
    ? midnight(next.day) + (next.spans[0]?.start ?? 0) * 60_000
    : midnight(addDays(days.at(-1)?.day ?? soldOutDay, 1))
}

function midnight(day: Day) {
  return Date.parse(`${day}T00:00:00+09:00`)
}
