import ical, { type ICalCalendar, ICalCalendarMethod, ICalEventTransparency } from 'ical-generator'
import { type DayState, dayStateInWords } from '../business-days/business-day.ts'
import { readChanges, readDays } from '../business-days/business-days.server.ts'
import { clockKey, dbKey, originKey } from '../request.ts'
import { readSite } from '../site/site.server.ts'
import type { Route } from './+types/calendar-feed.ts'
import type { ShownEvent } from './event-words.ts'
import { listEvents, readEvent } from './events.server.ts'
import { addDays, type Day, dayInJapan } from './month.ts'

const DAYS_BACK = 31
const DAYS_AHEAD = 366

/** iCalendar (RFC 5545): the shop's days and the events at /calendar.ics, one event at /calendar/{id}.ics. */
export async function loader({ context, params }: Route.LoaderArgs) {
  const db = context.get(dbKey)
  const origin = context.get(originKey)
  const site = await readSite(db)
  const calendar = ical({ name: site.name, prodId: { company: 'Noren', product: 'calendar', language: 'JA' } })
  // What the library writes is in UTC; this only says in which zone a reader should show it.
  calendar.x('X-WR-TIMEZONE', 'Asia/Tokyo')
  calendar.method(ICalCalendarMethod.PUBLISH)

  if (params.file !== undefined) {
    const event = await readEvent(db, /^(.+)\.ics$/.exec(params.file)?.[1] ?? '')
    if (!event) throw new Response('予定が見つかりません。', { status: 404 })
    addEvent(calendar, event, origin)
    return file(calendar, 'event.ics')
  }

  const today = dayInJapan(context.get(clockKey)())
  const first = addDays(today, -DAYS_BACK)
  const days = await readDays(db, first, DAYS_BACK + DAYS_AHEAD)
  const changes = await readChanges(
    db,
    days.map(({ day }) => day),
  )
  for (const state of days) {
    const sequence = changes.count(state.day)
    if (state.state !== 'unknown') addShopDay(calendar, state, { origin, sequence, stamp: changes.last })
  }
  for (const event of await listEvents(db, first, addDays(today, DAYS_AHEAD))) addEvent(calendar, event, origin)
  return file(calendar, 'calendar.ics')
}

type ShopDay = { origin: string; sequence: number; stamp: string | null }

// The whole day, so that it does not make its reader busy: open hours are said in its title.
function addShopDay(calendar: ICalCalendar, state: DayState, { origin, sequence, stamp }: ShopDay) {
  calendar.createEvent({
    id: `shop-${state.day}@${new URL(origin).host}`,
    sequence,
    stamp: new Date(stamp ?? `${state.day}T00:00:00Z`),
    ...wholeDay(state.day),
    summary: dayStateInWords(state),
    description: state.holiday,
    transparency: ICalEventTransparency.TRANSPARENT,
  })
}

function addEvent(calendar: ICalCalendar, event: ShownEvent, origin: string) {
  calendar.createEvent({
    id: `${event.id}@${new URL(origin).host}`,
    sequence: event.version - 1,
    stamp: new Date(event.updatedAt),
    ...whenOf(event),
    summary: event.title,
    description: event.content || null,
    url: `${origin}/calendar?day=${event.day}`,
  })
}

function whenOf({ day, startTime, endTime }: ShownEvent) {
  if (!startTime) return wholeDay(day)
  const start = instant(day, startTime)
  if (!endTime) return { start }
  return { start, end: instant(endTime <= startTime ? addDays(day, 1) : day, endTime) }
}

function wholeDay(day: Day) {
  return { allDay: true, start: new Date(`${day}T00:00:00Z`), end: new Date(`${addDays(day, 1)}T00:00:00Z`) }
}

function instant(day: Day, time: string) {
  return new Date(`${day}T${time}:00+09:00`)
}

function file(calendar: ICalCalendar, name: string) {
  return new Response(calendar.toString(), {
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': `inline; filename="${name}"`,
      'cache-control': 'no-cache',
    },
  })
}
