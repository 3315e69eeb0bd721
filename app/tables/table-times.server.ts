import type { Db } from '../../db/tables.ts'
import { readGuestCounts } from '../bookings/bookings.server.ts'
import { dayInJapan, instantInJapan, timeOfMinutes } from '../dates/japan.ts'
import { addDays, type Day } from '../dates/month.ts'
import { type DayState, weekdayNameOf } from '../hours/business-day.ts'
import { readDays } from '../hours/business-days.server.ts'
import type { SiteSettings } from '../settings/site.ts'

const STEP_MINUTES = 30
const HOUR_MS = 60 * 60_000

/** Returns the open days for which a guest can ask at `now`. */
export async function listTableDays(db: Db, site: SiteSettings, now: number): Promise<DayState[]> {
  const days = await readDays(db, dayInJapan(now), site.tableDaysAhead + 1)
  return days.filter((state) => timesOfDay(state, site, now).length > 0)
}

/**
 * Returns the times (HH:MM) at which a party can ask for a table at `now`, every half hour from the start of a slot, and
 * whether seats are left within the limits. `except` is the booking that the party already has.
 */
export async function listTableTimes(
  db: Db,
  site: SiteSettings,
  { day, party, now, except }: { day: Day; party: number; now: number; except?: string | undefined },
) {
  const lastDay = addDays(dayInJapan(now), site.tableDaysAhead)
  if (day > lastDay || party > site.tableMaxParty) return []
  const [state] = await readDays(db, day, 1)
  if (!state) return []
  const guests = await readGuestCounts(db, day, except)
  const fitsDay = guests.onDay + party <= site.tableGuestsPerDay
  return timesOfDay(state, site, now).map((minutes) => ({
    time: timeOfMinutes(minutes),
    isFree: fitsDay && guests.inHalfHour(minutes) + party <= site.tableGuestsPerHalfHour,
  }))
}

/** Returns the times of a day in minutes, without regard to the bookings. */
function timesOfDay({ day, spans }: DayState, site: SiteSettings, now: number) {
  const { tableDaysWithout, tableMinutesToClosing, tableHoursBefore } = site
  if (tableDaysWithout.includes(day) || tableDaysWithout.includes(weekdayNameOf(day))) return []
  const earliest = now + tableHoursBefore * HOUR_MS
  const times = spans.flatMap(({ start, end }) => {
    const last = end - tableMinutesToClosing
    const count = Math.max(0, Math.floor((last - start) / STEP_MINUTES) + 1)
    return Array.from({ length: count }, (_, index) => start + index * STEP_MINUTES)
  })
  return times.filter((minutes) => instantInJapan(day, minutes) >= earliest)
}
