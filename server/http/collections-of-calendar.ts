import type { z } from 'zod'
import { Event, moveDeadline } from '../../app/calendar/event.ts'
import { eventRecord } from '../../app/calendar/event-record.server.ts'
import { addEvent, deleteEvent, listAllEvents, readEvent, saveEvent } from '../../app/calendar/events.server.ts'
import { isDay } from '../../app/dates/month.ts'
import { eachRow, type Schedule, type Slots, scheduleRows } from '../../app/hours/business-day.ts'
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
import { specialDayRecord, weekRecord } from '../../app/hours/hours-records.server.ts'
import { SavedSchedule, SpecialDays } from '../../app/hours/schedule.ts'
import { isPageVisible, readPages } from '../../app/pages/pages.server.ts'
import { mayEditDishesAndCalendar, seesMembers } from '../../app/permissions.ts'
import { UUID } from '../../app/records/record.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { Db } from '../../db/tables.ts'
import { type Collection, dayOf, type JsonBody, splitDay } from './collection.ts'

const eventNames = ['date', ...Object.keys(Event.shape).filter((name) => name !== 'day')]

type FullEvent = NonNullable<Awaited<ReturnType<typeof readEvent>>>

/** Collection of the calendar events. If the client sends an `id`, a repeated POST adds the event only once. */
export const events: Collection<FullEvent, Event> = {
  recordType: eventRecord,
  fields: () => eventNames,
  names: { day: 'date' },
  list: ({ db, visitor }) => listAllEvents(db, visitor),
  read: ({ db, visitor }, id) => readEvent(db, id, visitor),
  // Members RSVP to events and editors change events even if the calendar page is hidden.
  visible: async ({ context, db, visitor }) => {
    const isVisible =
      seesMembers(visitor) ||
      mayEditDishesAndCalendar(visitor, await readSite(db)) ||
      isPageVisible(await readPages(context), 'calendar', visitor)
    return () => isVisible
  },
  documentOf: ({
    day,
    seriesId: _,
    occurrence: __,
    recurrence: ___,
    changedAlone: ____,
    deletedAt: _____,
    ...event
  }) => ({
    ...event,
    date: day,
  }),
  schema: () => Event,
  inputOf: (body, event) => {
    const day = body.date ?? event?.day
    const isMoved = event && typeof day === 'string' && isDay(day)
    return { ...event, ...(isMoved && { deadline: moveDeadline(event, day) }), ...body, day }
  },
  add: async ({ db, author, visitor }, event, body) => {
    const sentId = typeof body.id === 'string' ? body.id.toLowerCase() : ''
    const id = UUID.test(sentId) ? sentId : crypto.randomUUID()
    const isPresent = (await addEvent(db, id, event, author, { announces: true })) || (await readEvent(db, id, visitor))
    return isPresent ? { outcome: 'saved', id } : { outcome: 'taken', error: TAKEN, field: 'id' }
  },
  change: ({ db, author }, ref, event) => saveEvent(db, ref, event, author),
  remove: ({ db, author }, ref) => deleteEvent(db, ref, author),
}

const TAKEN = 'この id の予定は、すでにあるか、ごみ箱に入っています。'

async function readStoredWeek(db: Db) {
  const { schedule, ...week } = await readWeek(db)
  return schedule && { id: 'week', schedule, ...week }
}

type Week = NonNullable<Awaited<ReturnType<typeof readStoredWeek>>>

export const businessDays: Collection<Week, Schedule> = {
  recordType: weekRecord,
  fields: () => ['schedule'],
  list: async ({ db }) => [await readStoredWeek(db)].filter((week) => week !== null),
  read: async ({ db }, id) => (id === 'week' ? readStoredWeek(db) : null),
  documentOf: ({ schedule, ...week }) => ({ ...week, schedule: scheduleFieldsOf(schedule) }),
  check: (_, body) => (hasKnownRows(body) ? null : UNKNOWN_ROW),
  schema: () => SavedSchedule,
  inputOf: (body, week) => {
    if (!week) return body.schedule
    const rows = typeof body.schedule === 'object' && body.schedule !== null ? body.schedule : {}
    const stored = scheduleFieldsOf(week.schedule)
    const { closedDaysFirst = stored.closedDaysFirst, ...changedRows } = rows as Record<string, object | boolean>
    return { ...eachRow((name) => ({ ...stored[name], ...Object(changedRows[name]) })), closedDaysFirst }
  },
  add: async ({ db, author }, schedule) => {
    const { error } = await saveWeek(db, schedule, { version: 0 }, author)
    if (error) return { outcome: 'taken', error: 'スケジュールは、すでに登録されています。' }
    return { outcome: 'saved', id: 'week' }
  },
  change: ({ db, author }, { version }, schedule) => saveWeek(db, schedule, { version }, author),
  remove: async ({ db, author }, { id, version }) =>
    id === 'week' ? removeWeek(db, { version }, author) : { outcome: 'missing' },
}

const UNKNOWN_ROW = { outcome: 'wrong', error: 'schedule に、不明な行か項目があります。', field: 'schedule' } as const

function hasKnownRows({ schedule }: JsonBody) {
  return Object.entries(Object(schedule)).every(
    ([name, row]) =>
      name === 'closedDaysFirst' ||
      (scheduleRows.some((each) => each === name) &&
        Object.keys(Object(row)).every((field) => rowFields.some((each) => each === field))),
  )
}

const dayParts = ['selectedYear', 'selectedMonth', 'selectedDay']
const specialNames = [...dayParts, 'reason', 'cause', 'note', ...hourFields]

type StoredDay = ListedSpecialDay & { slots: Slots }
const hasSlots = (special: ListedSpecialDay): special is StoredDay => special.slots !== null

/** Collection of the special days, without days whose slots are unreadable. The ID is the day, YYYY-MM-DD. */
export const specialDays: Collection<StoredDay, z.infer<typeof SpecialDays>> = {
  recordType: specialDayRecord,
  fields: () => specialNames,
  names: { first: 'selectedDay' },
  list: async ({ db }) => (await listSpecialDays(db, '')).filter(hasSlots),
  read: async ({ db }, id) => {
    const special = await readSpecialDay(db, id)
    return special && hasSlots(special) ? special : null
  },
  documentOf: ({ day, version, slots, ...special }) => ({
    ...{ id: day, version, ...splitDay(day), ...special },
    ...hourFieldsOf(slots),
  }),
  check: (_, body, special) =>
    special && dayOf({ ...splitDay(special.day), ...body }) !== special.day ? OTHER_DAY : null,
  schema: () => SpecialDays,
  inputOf: (body, special) => {
    const { reason, cause, note, slots, day = dayOf(body) }: Partial<StoredDay> = special ?? {}
    const initial = slots ? { reason, cause, note, ...hourFieldsOf(slots) } : noHourFields
    return { ...initial, ...body, first: day, last: day, rhythm: '毎日', weekday: 0 }
  },
  add: async ({ db, author }, { special, span: { first: day } }) => {
    const { error } = await saveSpecialDays(db, { days: [day], ...special }, new Map(), author)
    if (error) return { outcome: 'taken', error: 'この日には、すでに設定があります。', field: 'selectedDay' }
    return { outcome: 'saved', id: day }
  },
  change: ({ db, author }, { id, version }, { special }) =>
    saveSpecialDays(db, { days: [id], ...special }, new Map([[id, { version }]]), author),
  remove: ({ db, author }, { id, version }) => removeSpecialDay(db, { day: id, version }, author),
}

const OTHER_DAY = {
  outcome: 'wrong',
  error: '日付は変更できません。新しい日を追加してください。',
  field: 'selectedDay',
} as const
