import type { z } from 'zod'
import { Event, moveDeadline } from '../../app/calendar/event.ts'
import { addEvent, deleteEvent, eventRecord, listAllEvents, saveEvent } from '../../app/calendar/events.server.ts'
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
import { seesMembers } from '../../app/permissions.ts'
import { UUID } from '../../app/records/record.ts'
import { type Collection, dayOf, type JsonBody, validationError } from './collection.ts'

const eventNames = ['date', ...Object.keys(Event.shape).filter((name) => name !== 'day')]

type FullEvent = Awaited<ReturnType<typeof listAllEvents>>[number]

/** Collection of the calendar events. If the client sends an `id`, a repeated POST adds the event only once. */
export const events: Collection<FullEvent, Event> = {
  recordType: eventRecord,
  fields: () => eventNames,
  names: { day: 'date' },
  find: ({ db, visitor }, id) => listAllEvents(db, visitor, id),
  // Members RSVP to events even if the calendar page is hidden.
  visible: async ({ context, visitor }) => {
    const isVisible = seesMembers(visitor) || isPageVisible(await readPages(context), 'calendar', visitor)
    return () => isVisible
  },
  documentOf: ({ day, seriesId: _, occurrence: __, recurrence: ___, changedAlone: ____, ...event }) => ({
    ...event,
    date: day,
  }),
  schema: () => Event,
  inputOf: (body, event) => {
    const day = body.date ?? event?.day
    const isMoved = event && typeof day === 'string' && isDay(day)
    return { ...event, ...(isMoved && { deadline: moveDeadline(event, day) }), ...body, day }
  },
  add: async ({ db, author }, event, body) => {
    const id = typeof body.id === 'string' && UUID.test(body.id) ? body.id : crypto.randomUUID()
    await addEvent(db, id, event, author, { announces: true })
    return { outcome: 'saved', id }
  },
  change: ({ db, author }, ref, event) => saveEvent(db, ref, event, author),
  remove: ({ db, author }, ref) => deleteEvent(db, ref, author),
}

type Week = { id: string; version: number; schedule: Schedule; createdAt: string | null; updatedAt: string | null }

export const businessDays: Collection<Week, Schedule> = {
  recordType: weekRecord,
  fields: () => ['schedule'],
  find: async ({ db }, id = 'week') => {
    const { version, schedule, ...times } = await readWeek(db)
    return id === 'week' && schedule ? [{ id, version, schedule, ...times }] : []
  },
  documentOf: ({ schedule, ...week }) => ({ ...week, schedule: scheduleFieldsOf(schedule) }),
  check: (_, body) => (hasKnownRows(body) ? null : validationError([UNKNOWN_ROW])),
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

const UNKNOWN_ROW = { path: ['schedule'], message: 'schedule に、不明な行か項目があります。' }

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

/** Collection of the special days, without days whose slots are unreadable. The ID is the day, YYYY-MM-DD. */
export const specialDays: Collection<StoredDay, z.infer<typeof SpecialDays>> = {
  recordType: specialDayRecord,
  fields: () => specialNames,
  names: { first: 'selectedDay' },
  find: async ({ db }, id) => {
    const found = id === undefined ? await listSpecialDays(db, '') : [await readSpecialDay(db, id)]
    return found.filter((special): special is StoredDay => Boolean(special?.slots))
  },
  documentOf: ({ day, version, slots, ...special }) => ({
    ...{ id: day, version, ...splitDay(day), ...special },
    ...hourFieldsOf(slots),
  }),
  check: (_, body, special) =>
    special && dayOf({ ...splitDay(special.day), ...body }) !== special.day ? validationError([OTHER_DAY]) : null,
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

const OTHER_DAY = { path: ['selectedDay'], message: '日付は変更できません。新しい日を追加してください。' }

function splitDay(day: string) {
  const [selectedYear, selectedMonth, selectedDay] = day.split('-').map(Number)
  return { selectedYear, selectedMonth, selectedDay }
}
