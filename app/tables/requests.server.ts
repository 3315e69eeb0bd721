import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import {
  type Booking,
  formatTime,
  MAX_PARTY,
  minutesOf,
  startOfBooking,
  type TableAnswer,
  type TableWish,
  timeOfBooking,
} from '../bookings/booking.ts'
import { countGuests, listBookings, listUnanswered } from '../bookings/bookings.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day, daysFrom } from '../dates/month.ts'
import { t } from '../languages/language.ts'
import { languageAt, runInLanguage } from '../languages/languages.server.ts'
import { mayManageBookings } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { listTableDays, listTableTimes } from './table-times.server.ts'

type Replies = Record<TableAnswer['state'], string>

/**
 * Booking with the prepared replies to its guest. `meanings` has the replies in Japanese if the guest reads another
 * language. `isCallNeeded`: the guest receives no e-mails.
 */
export type ShownBooking = Booking & { replies: Replies; meanings: Replies | null; isCallNeeded: boolean }

/** Request with the other times that the shop can offer. `offer` is the nearest free time. */
export type ShownRequest = ShownBooking & {
  offers: { day: Day; time: string; isFree: boolean }[]
  offer: string
  warning: string
}

/**
 * Returns the unanswered requests and the bookings of two days from `day`, or null if the shop takes no requests or the
 * visitor may not manage them.
 */
export async function readTables(context: RequestContext, day: Day) {
  const { db, visitor } = contextOf(context)
  const site = await readSite(db)
  if (!site.takesTableRequests || !mayManageBookings(visitor)) return null
  return { requests: await listRequests(context, site), bookings: await listBookings(db, day, addDays(day, 1)) }
}

/** Returns the unanswered requests of all coming days. */
export async function listRequests(context: RequestContext, site: SiteSettings): Promise<ShownRequest[]> {
  const { db, clock } = contextOf(context)
  const requests = await listUnanswered(db, dayInJapan(clock()))
  const days = requests.length > 0 ? await listTableDays(db, limitsOfStaff(site), clock()) : []
  return Promise.all(
    requests.map(async (request) => {
      const nearDays = days
        .map(({ day }) => day)
        .sort((a, b) => Math.abs(daysFrom(request.day, a)) - Math.abs(daysFrom(request.day, b)))
        .slice(0, MAX_OFFERED_DAYS)
      const offers = await listOffers(db, site, request, nearDays.sort(), clock())
      return { ...showBooking(context, request), ...offers, warning: await warnOfLimits(db, site, request, request.id) }
    }),
  )
}

const MAX_OFFERED_DAYS = 4

async function listOffers(db: Kysely<Tables>, site: SiteSettings, request: Booking, days: Day[], now: number) {
  const { id, party } = request
  const times = days.map(async (day) =>
    (await listTableTimes(db, limitsOfStaff(site), { day, party, now, except: id })).map((each) => ({ day, ...each })),
  )
  const others = (await Promise.all(times))
    .flat()
    .filter(({ day, time }) => day !== request.day || time !== request.time)
  const distance = (offer: Pick<Booking, 'day' | 'time'>) =>
    Math.abs(startOfBooking({ ...request, ...offer }) - startOfBooking(request))
  const [nearest] = others.filter(({ isFree }) => isFree).sort((a, b) => distance(a) - distance(b))
  return { offers: others, offer: nearest ? `${nearest.day} ${nearest.time}` : '' }
}

/** Returns the settings without the limits that only bind guests. */
function limitsOfStaff(site: SiteSettings): SiteSettings {
  return { ...site, tableHoursBefore: 0, tableDaysAhead: 366, tableMaxParty: MAX_PARTY, tableDaysWithout: [] }
}

const EARLIEST_MINUTES = 7 * 60
const HALF_HOURS = 34

/** Returns the times for a booking of the staff: those of the hours that are left, or else every half hour. */
export async function listTimesOfStaff(db: Kysely<Tables>, site: SiteSettings, day: Day, now: number) {
  const times = (await listTableTimes(db, limitsOfStaff(site), { day, party: 1, now })).map(({ time }) => time)
  const halfHours = Array.from({ length: HALF_HOURS }, (_, index) => formatTime(EARLIEST_MINUTES + index * 30))
  return times.length > 0 ? times : halfHours
}

export function showBooking(context: RequestContext, booking: Booking): ShownBooking {
  const language = languageAt(`/${booking.language}`)
  return {
    ...booking,
    replies: runInLanguage(language ?? null, prepareReplies),
    meanings: language ? prepareReplies() : null,
    isCallNeeded: !booking.email || !contextOf(context).mailer.verifies,
  }
}

function prepareReplies(): Replies {
  return {
    accepted: t('お申し込みありがとうございます。ご来店を心よりお待ちしております。'),
    offered: t('申し訳ございません。ご希望のお時間はお席をご用意できません。こちらのお時間はいかがでしょうか。'),
    declined: t('申し訳ございません。ご希望のお時間はお席をご用意できません。またの機会をお待ちしております。'),
    cancelled: t(
      '申し訳ございません。お店の都合により、お席をご用意できなくなりました。またの機会をお待ちしております。',
    ),
  }
}

/** Returns a sentence if the party exceeds the limits together with the other bookings, otherwise ''. */
export async function warnOfLimits(db: Kysely<Tables>, site: SiteSettings, wish: TableWish, except?: string) {
  const guests = await countGuests(db, wish.day, except)
  const [inHalfHour, onDay] = [guests.inHalfHour(minutesOf(wish.time)) + wish.party, guests.onDay + wish.party]
  const { tableGuestsPerHalfHour, tableGuestsPerDay } = site
  if (inHalfHour > tableGuestsPerHalfHour)
    return `この時間は合わせて${inHalfHour}名になり、上限の${tableGuestsPerHalfHour}名を超えます。`
  return onDay > tableGuestsPerDay ? `この日は合わせて${onDay}名になり、上限の${tableGuestsPerDay}名を超えます。` : ''
}
