import type { Db } from '../../db/tables.ts'
import { type Booking, bookingsPath, hasPassed, takesSeats, timeOfBooking } from '../bookings/booking.ts'
import { listBookings } from '../bookings/bookings.server.ts'
import { dayInJapan, minutesOf } from '../dates/japan.ts'
import { addDays, type Day, formatDay } from '../dates/month.ts'
import type { NextLink } from '../forms/save-result.ts'
import { readSite } from '../settings/site.server.ts'
import { type BusinessRules, dayState, formatMinutes, type Schedule, type SpecialDay } from './business-day.ts'
import { readRules, readSchedule } from './business-days.server.ts'

/** Hours that an editor saves. `special` is null if the days lose their special hours. */
type NewHours = { schedule?: Schedule; days?: Day[]; special?: Omit<SpecialDay, 'day'> | null }

/**
 * Returns the coming bookings outside the hours of their days. With new hours, returns only the bookings that these
 * hours displace. The list is empty if the shop takes no requests.
 */
export async function listDisplacedBookings(db: Db, now: number, newHours?: NewHours): Promise<Booking[]> {
  if (!(await readSite(db)).takesTableRequests) return []
  // The night after yesterday may last until now.
  const first = addDays(dayInJapan(now), -1)
  const bookings = (await listBookings(db, first)).filter((each) => takesSeats(each) && !hasPassed(each, now))
  const last = bookings.at(-1)
  if (!last) return []
  const rules = await readRules(db, await readSchedule(db), first, timeOfBooking(last).day)
  const displaced = bookings.filter((booking) => isOutsideHours(booking, rules))
  if (!newHours) return displaced
  const { schedule = rules.schedule, days = [], special } = newHours
  const newSpecialDay = (day: Day) => (special ? { ...special, day } : null)
  const specialDay = (day: Day) => (days.includes(day) ? newSpecialDay(day) : rules.specialDay(day))
  const newRules = { ...rules, schedule, specialDay }
  return bookings.filter((booking) => isOutsideHours(booking, newRules) && !displaced.includes(booking))
}

function isOutsideHours(booking: Booking, rules: BusinessRules) {
  const { day, time } = timeOfBooking(booking)
  const { state, spans } = dayState(day, rules)
  // Without known hours, nobody can tell whether the shop is open.
  if (state === 'unknown' || (state === 'open' && spans.length === 0)) return false
  return !spans.some(({ start, end }) => start <= minutesOf(time) && minutesOf(time) < end)
}

const MAX_LISTED = 5

/** Returns the sentences of the confirmation dialog: the displaced bookings, then the other sentences. */
export function confirmDisplaced(displaced: Booking[], others: string[]) {
  if (displaced.length === 0) return others
  const listed = displaced.slice(0, MAX_LISTED).map((booking) => {
    const { day, time } = timeOfBooking(booking)
    return `${formatDay(day)} ${formatMinutes(minutesOf(time))} ${booking.party}名`
  })
  const times = `${listed.join('、')}${displaced.length > MAX_LISTED ? ' ほか' : ''}`
  return [
    `お席のお申し込み${displaced.length}件が、営業時間の外になります（${times}）。`,
    '保存したあと、お一人ずつにお断りのお返事を送れます。',
    ...(others.length > 0 ? others : ['このまま保存しますか？']),
  ]
}

/** Returns a link to the displaced bookings in the list of the staff, or an empty object if there are none. */
export function linkToDisplaced([first]: Booking[]): { next?: NextLink } {
  return first ? { next: { to: bookingsPath(timeOfBooking(first).day), label: 'お席の方に知らせる' } } : {}
}
