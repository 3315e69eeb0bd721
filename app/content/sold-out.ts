import type { DayState } from '../business-days/business-day.ts'
import { addDays, dayInJapan } from '../calendar/month.ts'

/**
 * Whether a dish that was said to be sold out at `soldOutAt` still is: until the shop opens again on a later day, or that
 * day's midnight in Japan where its hours are not known. `days` are consecutive states that reach from that day to `now`'s.
 */
export function isSoldOut(soldOutAt: string | null, days: DayState[], now: number) {
  if (soldOutAt === null) return false
  const on = dayInJapan(Date.parse(soldOutAt))
  const openings = days.filter(({ day, state }) => day > on && state !== 'closed').map(openingOf)
  // Longer ago than the days reach: every shop has opened since.
  const unseen = days.every(({ day }) => day > on) && addDays(on, 1) <= dayInJapan(now)
  return !unseen && !openings.some((opening) => opening <= now)
}

function openingOf({ day, slots }: DayState) {
  return Date.parse(`${day}T00:00:00+09:00`) + (slots[0]?.start ?? 0) * 60_000
}
