import { data } from 'react-router'
import type { Booking } from '../bookings/booking.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { listTableDays, listTableTimes } from './table-times.server.ts'

const DEFAULT_PARTY = 2

/** Returns the settings. Throws a 404 if guests cannot ask for tables on the site. */
export async function requireTableRequests(context: RequestContext) {
  const site = await readSite(contextOf(context).db)
  if (!site.takesTableRequests) throw data(null, 404)
  return site
}

export type TableChoice = Awaited<ReturnType<typeof readTableChoice>>

/**
 * Returns the days and times that a guest can choose. `query` contains the chosen day and the size of the party, and
 * `current` the booking that the guest changes.
 */
export async function readTableChoice(
  context: RequestContext,
  site: SiteSettings,
  query: URLSearchParams,
  current?: Booking,
) {
  const { db, clock } = contextOf(context)
  const { tableMaxParty: maxParty } = site
  const now = clock()
  const days = (await listTableDays(db, site, now)).map((state) => state.day)
  const askedDay = query.get('day') ?? current?.day ?? ''
  const day = days.includes(askedDay) ? askedDay : ''
  const askedParty = Number(query.get('party'))
  const isParty = Number.isInteger(askedParty) && askedParty > 0
  const party = Math.min(isParty ? askedParty : (current?.party ?? DEFAULT_PARTY), maxParty + 1)
  const times = day && party <= maxParty ? await listTableTimes(db, site, { day, party, now, except: current?.id }) : []
  return { days, day, party, maxParty, times, isDayGone: askedDay !== day }
}
