import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day } from '../dates/month.ts'
import { type DayState, formatDayState } from '../hours/business-day.ts'
import { readDays, readHoursChanges } from '../hours/business-days.server.ts'
import { isOpen, readPages } from '../pages/pages.server.ts'
import { contextOf } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import type { Route } from './+types/calendar-feed.ts'
import type { ShownEvent } from './event-words.ts'
import { listEvents, readEvent } from './events.server.ts'
import { icalendar, textValue } from './icalendar.ts'

const DAYS_BACK = 31
const DAYS_AHEAD = 366

export const handle = { cache: 'day' }

/** Serves iCalendar (RFC 5545): opening days and events at /calendar.ics, one event at /calendar/{id}.ics. */
export async function loader({ context, params }: Route.LoaderArgs) {
  const { db, visitor, clock, origin, identity } = contextOf(context)
  if (!isOpen(await readPages(context), 'calendar', visitor))
    throw new Response('カレンダーはご覧いただけません。', { status: 404 })
  const { name } = await readSite(db)
  const site = { origin, identity }

  if (params.file !== undefined) {
    const event = await readEvent(db, /^(.+)\.ics$/.exec(params.file)?.[1] ?? '')
    if (!event) throw new Response('予定が見つかりません。', { status: 404 })
    return file(calendarOf(name, eventEntry(event, site)), 'event.ics')
  }

  const today = dayInJapan(clock())
  const first = addDays(today, -DAYS_BACK)
  const days = await readDays(db, first, DAYS_BACK + DAYS_AHEAD)
  const changes = await readHoursChanges(db)
  const shopDays = days.flatMap((state) => {
    const sequence = changes.count(state.day)
    return state.state === 'unknown' ? [] : shopDayEntry(state, { ...site, sequence, changedAt: changes.last })
  })
  const events = await listEvents(db, first, addDays(today, DAYS_AHEAD))
  return file(calendarOf(name, [...shopDays, ...events.flatMap((event) => eventEntry(event, site))]), 'calendar.ics')
}

// Many clients ignore calendar properties after the first component.
function calendarOf(name: string, entries: string[]) {
  return icalendar([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Noren//calendar//JA',
    'METHOD:PUBLISH',
    `NAME:${textValue(name)}`,
    `X-WR-CALNAME:${textValue(name)}`,
    // The instants below are in UTC; this property only sets the zone in which clients display them.
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

// An all-day transparent event does not show the subscriber as busy. The title has the opening hours.
function shopDayEntry(state: DayState, { identity, sequence, changedAt }: ShopDay) {
  const about = [state.holiday, state.note].filter(Boolean).join('\n')
  return [
    'BEGIN:VEVENT',
    `UID:shop-${state.day}@${identity}`,
    `SEQUENCE:${sequence}`,
    `DTSTAMP:${utc(changedAt ?? `${state.day}T00:00:00Z`)}`,
    ...wholeDay(state.day),
    `SUMMARY:${textValue(formatDayState(state))}`,
    'TRANSP:TRANSPARENT',
    ...(about ? [`DESCRIPTION:${textValue(about)}`] : []),
    'END:VEVENT',
  ]
}

function eventEntry(event: ShownEvent, { origin, identity }: Site) {
  return [
    'BEGIN:VEVENT',
    `UID:${textValue(event.id)}@${identity}`,
    `SEQUENCE:${event.version - 1}`,
    `DTSTAMP:${utc(event.updatedAt)}`,
    ...whenOf(event),
    `SUMMARY:${textValue(event.title)}`,
    ...(event.content ? [`DESCRIPTION:${textValue(event.content)}`] : []),
    `URL:${origin}/calendar?day=${event.day}`,
    'END:VEVENT',
  ]
}

function whenOf({ day, startTime, endTime }: ShownEvent) {
  if (!startTime) return wholeDay(day)
  const start = `DTSTART:${instant(day, startTime)}`
  if (!endTime) return [start]
  return [start, `DTEND:${instant(endTime <= startTime ? addDays(day, 1) : day, endTime)}`]
}

function wholeDay(day: Day) {
  return [
    `DTSTART;VALUE=DATE:${inDigits(day)}`,
    `DTEND;VALUE=DATE:${inDigits(addDays(day, 1))}`,
    'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE',
  ]
}

function instant(day: Day, time: string) {
  return utc(new Date(`${day}T${time}:00+09:00`).toISOString())
}

// Converts an ISO 8601 instant in UTC to the form 20261120T030000Z.
function utc(at: string) {
  return `${inDigits(at.slice(0, 10))}T${at.slice(11, 13)}${at.slice(14, 16)}${at.slice(17, 19)}Z`
}

function inDigits(day: Day) {
  return `${day.slice(0, 4)}${day.slice(5, 7)}${day.slice(8)}`
}

function file(text: string, name: string) {
  return new Response(text, {
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': `inline; filename="${name}"`,
    },
  })
}
