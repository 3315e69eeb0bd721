import { dayInJapan } from '../dates/japan.ts'
import { addDays } from '../dates/month.ts'
import { type DayState, formatDayState } from '../hours/business-day.ts'
import { readDays, readHoursChanges } from '../hours/business-days.server.ts'
import { isPageVisible, readPages } from '../pages/pages.server.ts'
import { contextOf } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSite } from '../settings/site.server.ts'
import type { Route } from './+types/calendar-feed.ts'
import { type FeedSite, formatEvent, formatSeries } from './event-feed.ts'
import { listEvents, listSeries, readEvent } from './events.server.ts'
import { escapeText, formatAllDay, formatContentLines, formatUtc, TIME_ZONE } from './icalendar.ts'
import { findFeedVisitor, MEMBER_FEED_PATH } from './member-feeds.server.ts'
import { rsvpLabels } from './rsvp.ts'
import { type Participation, readParticipations } from './rsvps.server.ts'

const MAX_PAST_DAYS = 31
const MAX_FUTURE_DAYS = 365

export const handle = { cache: 'day' }

/**
 * Serves iCalendar files (RFC 5545): all opening days and events at /calendar.ics, a single event at
 * /calendar/{id}.ics, and the calendar of a member with a token at /calendar/member.ics.
 */
export async function loader({ context, params, url }: Route.LoaderArgs) {
  const { db, visitor, clock, origin, identity } = contextOf(context)
  const isMemberFeed = url.pathname === MEMBER_FEED_PATH
  const member = isMemberFeed ? await findFeedVisitor(db, url.searchParams.get('token') ?? '') : null
  if (isMemberFeed ? !member : !isPageVisible(await readPages(context), 'calendar', visitor))
    throw new Response('カレンダーはご覧いただけません。', { status: 404 })
  const { name } = await readSite(db)
  const site = { origin, identity, hasCircle: await isCircleOn(db) }

  if (params.file !== undefined) {
    const event = await readEvent(db, /^(.+)\.ics$/.exec(params.file)?.[1] ?? '', visitor)
    if (!event) throw new Response('予定が見つかりません。', { status: 404 })
    return calendarResponse(formatCalendar(name, formatEvent(event, site)), 'event.ics')
  }

  const today = dayInJapan(clock())
  const first = addDays(today, -MAX_PAST_DAYS)
  const days = await readDays(db, first, MAX_PAST_DAYS + 1 + MAX_FUTURE_DAYS)
  const changes = await readHoursChanges(db)
  const shopDays = days.flatMap((state) => {
    const sequence = changes.count(state.day)
    return state.state === 'unknown' ? [] : formatShopDay(state, { ...site, sequence, changedAt: changes.last })
  })
  const last = addDays(today, MAX_FUTURE_DAYS)
  // A subscribed program sends no cookie, so the public feed is the same for all visitors.
  const events = await listEvents(db, first, last, member)
  if (member) {
    const participations = await readParticipations(db, member, events)
    // The member can answer each event of a series differently, so this feed has no series.
    const entries = events.flatMap(({ content, ...event }) => {
      const own = participations.find(({ eventId }) => eventId === event.id)?.own
      return formatEvent({ ...event, content: [formatOwnRsvp(own), content].filter(Boolean).join('\n') }, site)
    })
    return calendarResponse(formatCalendar(name, [...shopDays, ...entries]), 'calendar.ics')
  }
  const { events: occurrences, changes: seriesChanges } = await listSeries(db, first, last, null)
  const series = [...Map.groupBy(occurrences, ({ seriesId }) => seriesId)].flatMap(([seriesId, rows]) => {
    const changes = seriesChanges.get(seriesId)
    return changes ? formatSeries(rows, { ...site, ...changes }) : []
  })
  const singleEvents = events.filter(({ seriesId }) => !seriesId).flatMap((event) => formatEvent(event, site))
  const entries = [...shopDays, ...singleEvents, ...series]
  return calendarResponse(formatCalendar(name, entries, series.length > 0), 'calendar.ics')
}

// The calendar properties come first, because many clients ignore properties after the first component.
function formatCalendar(name: string, entries: string[], hasTimeZone = false) {
  return formatContentLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Noren//calendar//JA',
    'METHOD:PUBLISH',
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    // The times of single events are in UTC. This property only sets the time zone in which clients display them.
    'X-WR-TIMEZONE:Asia/Tokyo',
    // A calendar must have at least one component (RFC 5545 §3.6).
    ...(hasTimeZone || entries.length === 0 ? TIME_ZONE : []),
    ...entries,
    'END:VCALENDAR',
  ])
}

type ShopDay = FeedSite & { sequence: number; changedAt: string | null }

// An all-day transparent event does not mark the subscriber as busy. Its title contains the opening hours.
function formatShopDay(state: DayState, { identity, sequence, changedAt }: ShopDay) {
  const description = [state.holiday, state.note].filter(Boolean).join('\n')
  return [
    'BEGIN:VEVENT',
    `UID:shop-${state.day}@${identity}`,
    `SEQUENCE:${sequence}`,
    `DTSTAMP:${formatUtc(changedAt ?? `${state.day}T00:00:00Z`)}`,
    ...formatAllDay(state.day),
    `SUMMARY:${escapeText(formatDayState(state))}`,
    'TRANSP:TRANSPARENT',
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    'END:VEVENT',
  ]
}

function formatOwnRsvp(own: Participation['own'] | undefined) {
  return own && `回答：${own.waiting ? `キャンセル待ち（${own.waiting}番目）` : rsvpLabels[own.answer]}`
}

function calendarResponse(text: string, name: string) {
  return new Response(text, {
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': `inline; filename="${name}"`,
      'x-robots-tag': 'noindex',
    },
  })
}
