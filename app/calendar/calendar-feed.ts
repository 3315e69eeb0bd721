import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day } from '../dates/month.ts'
import { type DayState, formatDayState } from '../hours/business-day.ts'
import { readDays, readHoursChanges } from '../hours/business-days.server.ts'
import { isPageVisible, readPages } from '../pages/pages.server.ts'
import { contextOf } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import type { Route } from './+types/calendar-feed.ts'
import type { ShownEvent } from './event-format.ts'
import { listEvents, readEvent } from './events.server.ts'
import { escapeText, formatContentLines } from './icalendar.ts'
import { findFeedVisitor, MEMBER_FEED_PATH } from './member-feeds.server.ts'
import { type Participation, rsvpLabels } from './rsvp.ts'
import { readParticipations } from './rsvps.server.ts'

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
  const site = { origin, identity }

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
  // A subscribed program sends no cookie, so the public feed is the same for all visitors.
  const events = await listEvents(db, first, addDays(today, MAX_FUTURE_DAYS), member)
  const participations = await readParticipations(db, member, events)
  const ownRsvpTo = (id: string) => participations.find(({ eventId }) => eventId === id)?.own
  return calendarResponse(
    formatCalendar(name, [...shopDays, ...events.flatMap((event) => formatEvent(event, site, ownRsvpTo(event.id)))]),
    'calendar.ics',
  )
}

// The calendar properties come first, because many clients ignore properties after the first component.
function formatCalendar(name: string, entries: string[]) {
  return formatContentLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Noren//calendar//JA',
    'METHOD:PUBLISH',
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    // The times below are in UTC. This property only sets the time zone in which clients display them.
    'X-WR-TIMEZONE:Asia/Tokyo',
    ...(entries.length > 0 ? entries : TIME_ZONE),
    'END:VCALENDAR',
  ])
}

// A calendar must have at least one component (RFC 5545 §3.6).
const TIME_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Asia/Tokyo',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0900',
  'TZOFFSETTO:+0900',
  'TZNAME:JST',
  'END:STANDARD',
  'END:VTIMEZONE',
]

type Site = { origin: string; identity: string }
type ShopDay = Site & { sequence: number; changedAt: string | null }

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

function formatEvent(event: ShownEvent, { origin, identity }: Site, own?: Participation['own']) {
  const status = own && `回答：${own.waiting ? `キャンセル待ち（${own.waiting}番目）` : rsvpLabels[own.answer]}`
  const description = [status, event.content].filter(Boolean).join('\n')
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(event.id)}@${identity}`,
    `SEQUENCE:${event.version - 1}`,
    `DTSTAMP:${formatUtc(event.updatedAt)}`,
    ...formatPeriod(event),
    `SUMMARY:${escapeText(event.title)}`,
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    `URL:${origin}/calendar?day=${event.day}`,
    'END:VEVENT',
  ]
}

function formatPeriod({ day, startTime, endTime }: ShownEvent) {
  if (!startTime) return formatAllDay(day)
  const start = `DTSTART:${formatLocalTime(day, startTime)}`
  if (!endTime) return [start]
  return [start, `DTEND:${formatLocalTime(endTime <= startTime ? addDays(day, 1) : day, endTime)}`]
}

function formatAllDay(day: Day) {
  return [
    `DTSTART;VALUE=DATE:${removeHyphens(day)}`,
    `DTEND;VALUE=DATE:${removeHyphens(addDays(day, 1))}`,
    'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE',
  ]
}

function formatLocalTime(day: Day, time: string) {
  return formatUtc(new Date(`${day}T${time}:00+09:00`).toISOString())
}

// Formats an ISO 8601 time in UTC as 20261120T030000Z.
function formatUtc(instant: string) {
  return `${removeHyphens(instant.slice(0, 10))}T${instant.slice(11, 13)}${instant.slice(14, 16)}${instant.slice(17, 19)}Z`
}

function removeHyphens(day: Day) {
  return `${day.slice(0, 4)}${day.slice(5, 7)}${day.slice(8)}`
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
