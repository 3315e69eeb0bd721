import { deadlineMoved, Event } from '../../app/calendar/event.ts'
import { addEvent, deleteEvent, listAllEvents, readEvent, saveEvent } from '../../app/calendar/events.server.ts'
import { isDay } from '../../app/dates/month.ts'
import { eachRow, scheduleRows } from '../../app/hours/business-day.ts'
import {
  type ListedSpecialDay,
  listSpecialDays,
  readSpecialDay,
  readWeek,
  removeSpecialDay,
  removeWeek,
  saveSpecialDays,
  saveWeek,
} from '../../app/hours/business-days.server.ts'
import { hourFields, hourFieldsOf, noHourFields, rowFields, scheduleFieldsOf } from '../../app/hours/hour-fields.ts'
import { SavedSchedule, SpecialDays } from '../../app/hours/schedule.ts'
import { isOpen, readPages } from '../../app/pages/pages.server.ts'
import { mayEditDishesAndCalendar, refusedDishesAndCalendar, seesMembers } from '../../app/permissions.ts'
import { authorOf, contextOf, type RequestContext } from '../../app/request.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { Collection, Document, Given, Outcome } from './collections.ts'
import { dayOf, inJapanese, outcomeOf, wrong } from './collections-of-cards.ts'

async function refusal(context: RequestContext) {
  const { visitor } = contextOf(context)
  const site = await readSite(contextOf(context).db)
  return mayEditDishesAndCalendar(visitor, site) ? null : refusedDishesAndCalendar(visitor, site)
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const eventNames = ['date', ...Object.keys(Event.shape).filter((name) => name !== 'day')]

type FullEvent = Awaited<ReturnType<typeof listAllEvents>>[number]

/** If the client sends an `id`, a repeated POST adds the event only once. */
export const events: Collection = {
  fields: () => eventNames,
  refusal,
  list: async (context) =>
    (await seesEvents(context)) ? (await listAllEvents(contextOf(context).db)).map(eventDocument) : [],
  read: async (context, id) => {
    if (!(await seesEvents(context))) return null
    const [event] = await listAllEvents(contextOf(context).db, id)
    return event ? eventDocument(event) : null
  },
  add: async (context, given) => {
    const read = Event.safeParse({ ...given, day: given.date }, inJapanese)
    if (!read.success) return wrong(read.error.issues, { day: 'date' })
    const id = typeof given.id === 'string' && UUID.test(given.id) ? given.id : crypto.randomUUID()
    await addEvent(contextOf(context).db, id, read.data, authorOf(context))
    return { outcome: 'saved', id }
  },
  change: async (context, seen, given) => {
    const event = await readEvent(contextOf(context).db, seen.id)
    if (!event) return { outcome: 'missing' }
    const day = given.date ?? event.day
    const deadline = typeof day === 'string' && isDay(day) ? deadlineMoved(event, day) : event.deadline
    const read = Event.safeParse({ ...event, deadline, ...given, day }, inJapanese)
    if (!read.success) return wrong(read.error.issues, { day: 'date' })
    return outcomeOf(seen.id, await saveEvent(contextOf(context).db, seen, read.data, authorOf(context)))
  },
  remove: async (context, seen) =>
    outcomeOf(seen.id, await deleteEvent(contextOf(context).db, seen, authorOf(context))),
}

// Members RSVP to events even if the calendar page is hidden.
async function seesEvents(context: RequestContext) {
  const { visitor } = contextOf(context)
  return seesMembers(visitor) || isOpen(await readPages(context), 'calendar', visitor)
}

function eventDocument({ day, ...event }: FullEvent): Document {
  return { ...event, date: day }
}

async function readWeekDocument(context: RequestContext): Promise<Document | null> {
  const { version, schedule, ...times } = await readWeek(contextOf(context).db)
  return schedule && { id: 'week', version, schedule: scheduleFieldsOf(schedule), ...times }
}

/** The weekly schedule as one document, `week`, whose rows have Japanese names. */
export const businessDays: Collection = {
  fields: () => ['schedule'],
  refusal,
  list: async (context) => {
    const week = await readWeekDocument(context)
    return week ? [week] : []
  },
  read: (context, id) => (id === 'week' ? readWeekDocument(context) : Promise.resolve(null)),
  add: async (context, given) => {
    if (!hasKnownRows(given)) return wrong([UNKNOWN_ROW])
    const read = SavedSchedule.safeParse(given.schedule, inJapanese)
    if (!read.success) return wrong(read.error.issues)
    const { outcome } = await saveWeek(contextOf(context).db, read.data, { version: 0 }, authorOf(context))
    return outcome === 'saved'
      ? { outcome, id: 'week' }
      : { outcome: 'taken', error: 'スケジュールは、すでに登録されています。' }
  },
  change: async (context, { id, version }, given) => {
    const { schedule } = await readWeek(contextOf(context).db)
    if (id !== 'week' || !schedule) return { outcome: 'missing' }
    if (!hasKnownRows(given)) return wrong([UNKNOWN_ROW])
    const rows = typeof given.schedule === 'object' && given.schedule !== null ? given.schedule : {}
    const stored = scheduleFieldsOf(schedule)
    const { closedDaysFirst = stored.closedDaysFirst, ...own } = rows as Record<string, object | boolean | undefined>
    const changed = eachRow((name) => ({ ...stored[name], ...Object(own[name]) }))
    const read = SavedSchedule.safeParse({ ...changed, closedDaysFirst }, inJapanese)
    if (!read.success) return wrong(read.error.issues)
    const { outcome } = await saveWeek(contextOf(context).db, read.data, { version }, authorOf(context))
    return outcome === 'saved' ? { outcome, id } : { outcome: 'newer' }
  },
  remove: async (context, { id, version }) => {
    if (id !== 'week') return { outcome: 'missing' }
    return outcomeOf(id, await removeWeek(contextOf(context).db, { version }, authorOf(context)))
  },
}

const UNKNOWN_ROW = { path: ['schedule'], message: 'schedule に、知らない行か項目があります。' }

function hasKnownRows({ schedule }: Given) {
  return Object.entries(Object(schedule)).every(
    ([name, row]) =>
      name === 'closedDaysFirst' ||
      (scheduleRows.some((each) => each === name) &&
        Object.keys(Object(row)).every((field) => rowFields.some((each) => each === field))),
  )
}

const dayParts = ['selectedYear', 'selectedMonth', 'selectedDay']
const specialNames = [...dayParts, 'reason', 'cause', 'note', ...hourFields]

/** Days that differ from the weekly schedule. The ID is the day, YYYY-MM-DD. */
export const specialDays: Collection = {
  fields: () => specialNames,
  refusal,
  list: async (context) => (await listSpecialDays(contextOf(context).db, '')).flatMap(specialDayDocument),
  read: async (context, id) => {
    const special = await readSpecialDay(contextOf(context).db, id)
    return (special && specialDayDocument(special)[0]) ?? null
  },
  add: (context, given) => saveDay(context, { day: dayOf(given), given: { ...noHourFields, ...given } }),
  change: async (context, { id, version }, given) => {
    const special = await readSpecialDay(contextOf(context).db, id)
    if (!special?.slots) return { outcome: 'missing' }
    const [selectedYear, selectedMonth, selectedDay] = id.split('-')
    if (dayOf({ selectedYear, selectedMonth, selectedDay, ...given }) !== id)
      return wrong([{ path: ['selectedDay'], message: '日付は変えられません。新しい日を追加してください。' }])
    const { reason, cause, note, slots } = special
    return saveDay(context, { day: id, given: { reason, cause, note, ...hourFieldsOf(slots), ...given }, version })
  },
  remove: async (context, { id, version }) => {
    return outcomeOf(id, await removeSpecialDay(contextOf(context).db, { day: id, version }, authorOf(context)))
  },
}

// Days with unreadable slots are left out.
function specialDayDocument({ day, version, slots, ...special }: ListedSpecialDay): Document[] {
  const [selectedYear, selectedMonth, selectedDay] = day.split('-').map(Number)
  return slots
    ? [{ id: day, version, selectedYear, selectedMonth, selectedDay, ...special, ...hourFieldsOf(slots) }]
    : []
}

async function saveDay(
  context: RequestContext,
  { day, given, version }: { day: string; given: Given; version?: number },
): Promise<Outcome> {
  const read = SpecialDays.safeParse({ ...given, first: day, last: day, rhythm: '毎日', weekday: 0 }, inJapanese)
  if (!read.success) return wrong(read.error.issues, { first: 'selectedDay' })
  const replacing = new Map(version === undefined ? [] : [[day, { version }]])
  const saved = await saveSpecialDays(
    contextOf(context).db,
    { days: [day], ...read.data.special },
    replacing,
    authorOf(context),
  )
  if (saved.outcome === 'saved') return { outcome: 'saved', id: day }
  return version === undefined
    ? { outcome: 'taken', error: 'この日には、すでに設定があります。', field: 'selectedDay' }
    : { outcome: 'newer' }
}
