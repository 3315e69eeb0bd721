import type { Db } from '../../db/tables.ts'
import { type Booking, MAX_PARTY, startOfBooking, type TableAnswer, type TableWish } from '../bookings/booking.ts'
import { listBookings, listUnanswered, readGuestCounts } from '../bookings/bookings.server.ts'
import { dayInJapan, minutesOf, timeOfMinutes } from '../dates/japan.ts'
import { addDays, type Day } from '../dates/month.ts'
import { t } from '../languages/language.ts'
import { languageAt, runInLanguage } from '../languages/languages.server.ts'
import { mayManageBookings } from '../permissions.ts'
import { contextOf, type Dependencies, type RequestContext } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { listTableTimes } from './table-times.server.ts'

/**
 * Returns the unanswered requests and the bookings from yesterday to tomorrow, or null if the shop takes no requests or
 * the visitor may not manage them.
 */
export async function readTables(context: RequestContext) {
  const { db, visitor, clock } = contextOf(context)
  const site = await readSite(db)
  if (!site.takesTableRequests || !mayManageBookings(visitor)) return null
  const today = dayInJapan(clock())
  const bookings = await listBookings(db, addDays(today, -1), addDays(today, 1))
  return { requests: await listRequests(context, site), bookings }
}

export type ShownRequest = Awaited<ReturnType<typeof listRequests>>[number]

/** Returns the unanswered requests of all coming days, with other times on near days. `offer` is the nearest free time. */
export async function listRequests(context: RequestContext, site: SiteSettings) {
  const { db, clock } = contextOf(context)
  const now = clock()
  const requests = await listUnanswered(db, now)
  return Promise.all(
    requests.map(async (request) => {
      const { id, party } = request
      const offers = []
      for (const day of NEAR_DAYS.map((count) => addDays(request.day, count)))
        for (const { time, isFree } of await listTableTimes(db, limitsOfStaff(site), { day, party, now, except: id }))
          if (day !== request.day || time !== request.time) offers.push({ day, time, isFree })
      const distance = (offer: { day: Day; time: string }) =>
        Math.abs(startOfBooking({ ...request, ...offer }) - startOfBooking(request))
      const [offer] = offers.filter(({ isFree }) => isFree).sort((a, b) => distance(a) - distance(b))
      return { ...showBooking(context, request), offers, offer, warning: await warnOfLimits(db, site, request, id) }
    }),
  )
}

const NEAR_DAYS = [-1, 0, 1, 2]

/** Returns the settings without the limits that only bind guests. */
function limitsOfStaff(site: SiteSettings): SiteSettings {
  return { ...site, tableHoursBefore: 0, tableDaysAhead: 366, tableMaxParty: MAX_PARTY, tableDaysWithout: [] }
}

const EARLIEST_MINUTES = 7 * 60
const HALF_HOURS = 34

/** Returns the remaining times of the day's hours for a booking of the staff, or every half hour if none remain. */
export async function listTimesOfStaff(db: Db, site: SiteSettings, day: Day, now: number) {
  const times = await listTableTimes(db, limitsOfStaff(site), { day, party: 1, now })
  const halfHours = Array.from({ length: HALF_HOURS }, (_, index) => timeOfMinutes(EARLIEST_MINUTES + index * 30))
  return times.length > 0 ? times.map(({ time }) => time) : halfHours
}

export type ShownBooking = ReturnType<typeof showBooking>

/**
 * Prepares the replies to the guest in the guest's language. `meanings` has them in Japanese for another language.
 * `isCallNeeded`: the guest receives no e-mails. `isDisplaced`: the booking is outside the hours.
 */
export function showBooking(context: RequestContext, booking: Booking, displaced: Booking[] = []) {
  const language = languageAt(`/${booking.language}`)
  const isDisplaced = displaced.some(({ id }) => id === booking.id)
  return {
    ...booking,
    isDisplaced,
    replies: runInLanguage(language ?? null, () => prepareReplies(isDisplaced)),
    meanings: language ? prepareReplies(isDisplaced) : null,
    isCallNeeded: isCallNeeded(booking, contextOf(context)),
  }
}

/** Whether the guest receives no e-mails. */
export function isCallNeeded({ email }: Booking, { mailer }: Pick<Dependencies, 'mailer'>) {
  return !email || !mailer.verifies
}

function prepareReplies(isDisplaced: boolean): Record<TableAnswer['state'], string> {
  return {
    accepted: t('お申し込みありがとうございます。ご来店を心よりお待ちしております。'),
    offered: t('申し訳ございません。ご希望のお時間はお席をご用意できません。こちらのお時間はいかがでしょうか。'),
    declined: t('申し訳ございません。ご希望のお時間はお席をご用意できません。またの機会をお待ちしております。'),
    cancelled: isDisplaced
      ? t('申し訳ございません。お店の都合により、お席をご用意できなくなりました。またの機会をお待ちしております。')
      : t('お席を取り消しました。またのご来店をお待ちしております。'),
  }
}

/** Returns a sentence if the party exceeds the limits together with the other bookings, otherwise ''. */
export async function warnOfLimits(db: Db, site: SiteSettings, wish: TableWish, except?: string) {
  const guests = await readGuestCounts(db, wish.day, except)
  const [inHalfHour, onDay] = [guests.inHalfHour(minutesOf(wish.time)) + wish.party, guests.onDay + wish.party]
  const { tableGuestsPerHalfHour, tableGuestsPerDay } = site
  if (inHalfHour > tableGuestsPerHalfHour)
    return `この時間は合わせて${inHalfHour}名になり、上限の${tableGuestsPerHalfHour}名を超えます。`
  return onDay > tableGuestsPerDay ? `この日は合わせて${onDay}名になり、上限の${tableGuestsPerDay}名を超えます。` : ''
}
