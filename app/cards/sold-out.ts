import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day } from '../dates/month.ts'

/**
 * Until when a dish that was said to be sold out at `soldOutAt` is: the shop's next opening on a later day, or that day's
 * midnight in Japan where its hours are not known. `days` are consecutive states from that day on; where they begin
 * after it, the shop has opened since. In milliseconds since 1970.
 */
export function soldOutUntil(soldOutAt: string, days: { day: Day; state: string; slots: { start: number }[] }[]) {
  const on = dayInJapan(Date.parse(soldOutAt))
  if (days[0] && days[0].day > on) return 0
  const next = days.find(({ day, state }) => day > on && state !== 'closed')
  return next ? midnight(next.day) + (next.slots[0]?.start ?? 0) * 60_000 : midnight(addDays(days.at(-1)?.day ?? on, 1))
}

function midnight(day: Day) {
  return Date.parse(`${day}T00:00:00+09:00`)
}
