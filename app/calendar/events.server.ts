import type { Selectable } from 'kysely'
import type { Db, EventRow, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Day, formatDayWithYear } from '../dates/month.ts'
import { type Outcome, Rejection } from '../forms/outcome.ts'
import { seesEvent, type Visitor } from '../permissions.ts'
import { advanceSeenVersion, findOwnDeletion } from '../records/own-saves.server.ts'
import { type ImportedTimes, newSave, type RecordRef, type Save } from '../records/record.ts'
import { add, change, lockPresent, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { type Event, moveDeadline } from './event.ts'
import type { NewerEvent, ShownEvent } from './event-format.ts'
import { eventRecord } from './event-record.server.ts'
import { LAST_DAY, moveRecurrence, noSeries, type Scope, type SeriesColumns, type SeriesRecurrence } from './series.ts'

type Row = Selectable<EventRow>

function selectPresentEvents(db: Db) {
  return db.selectFrom('events').selectAll().where('deletedAt', 'is', null)
}

function selectVisibleEvents(db: Db, visitor: Visitor) {
  const present = selectPresentEvents(db)
  return seesEvent(visitor, { membersOnly: true }) ? present : present.where('membersOnly', '=', false)
}

function selectByTime(db: Db, visitor: Visitor) {
  return selectVisibleEvents(db, visitor)
    .orderBy('day')
    .orderBy((eb) => eb.fn.coalesce('startTime', eb.val('')))
    .orderBy('createdAt')
    .orderBy('id')
}

/**
 * Lists the events from `first` to `last` inclusive that the visitor may see, sorted by day and time. All-day events
 * come first on their day.
 */
export async function listEvents(db: Db, first: Day, last: Day, visitor: Visitor): Promise<ShownEvent[]> {
  const rows = await selectByTime(db, visitor).where('day', '>=', first).where('day', '<=', last).execute()
  return rows.map(toShownEvent)
}

const MAX_LISTED = 30

/** Lists the nearest coming events that have RSVPs and that the visitor may see, sorted by day. */
export async function listEventsWithRsvps(db: Db, today: Day, visitor: Visitor): Promise<ShownEvent[]> {
  const coming = selectByTime(db, visitor).where('attendance', '=', true).where('day', '>=', today)
  return (await coming.limit(MAX_LISTED).execute()).map(toShownEvent)
}

/** Lists all events that the visitor may see, except deleted ones, with their creation times, sorted by day. */
export function listAllEvents(db: Db, visitor: Visitor) {
  return selectVisibleEvents(db, visitor).orderBy('day').orderBy('createdAt').orderBy('id').execute()
}

export async function readEvent(db: Db, id: string, visitor: Visitor) {
  return (await selectVisibleEvents(db, visitor).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Returns an event even if only members may see it. The caller checks the permission. */
export async function readEventForMembers(db: Db, id: string): Promise<ShownEvent | null> {
  const row = await selectPresentEvents(db).where('id', '=', id).executeTakeFirst()
  return row ? toShownEvent(row) : null
}

/**
 * Lists the events that the visitor may see, of the series that have an event from `first` to `last`, sorted by occurrence. `changes` has
 * the number of changes of each series, and the time of its last change.
 */
export async function listSeries(db: Db, first: Day, last: Day, visitor: Visitor) {
  const shown = selectVisibleEvents(db, visitor).clearSelect().select('seriesId')
  const ids = shown.where('seriesId', 'is not', null).where('day', '>=', first).where('day', '<=', last)
  const rows = await selectVisibleEvents(db, visitor).where('seriesId', 'in', ids).orderBy('occurrence').execute()
  const changes = await db
    .selectFrom('events')
    .select(({ fn }) => ['seriesId', fn.max('updatedAt').as('last')])
    .select(({ eb, fn }) => eb(fn.sum<number>('version'), '-', fn.countAll<number>()).as('count'))
    .where('seriesId', 'in', ids)
    .groupBy('seriesId')
    .execute()
  return { events: rows.map(toShownEvent), changes: new Map(changes.map((each) => [each.seriesId, each])) }
}

/**
 * Returns the sum of the versions of the later events of a series, also of deleted ones, by event ID. Each change of a
 * later event increases the sum by one.
 */
export async function readLaterVersions(db: Db, ids: string[]): Promise<Record<string, number>> {
  if (ids.length === 0) return {}
  const rows = await db
    .selectFrom('events as event')
    .innerJoin('events as later', 'later.seriesId', 'event.seriesId')
    .whereRef('later.occurrence', '>', 'event.occurrence')
    .where('event.id', 'in', ids)
    .select(({ fn }) => ['event.id', fn.sum<number>('later.version').as('versions')])
    .groupBy('event.id')
    .execute()
  return Object.fromEntries(rows.map(({ id, versions }) => [id, Number(versions)]))
}

type AddOptions = { times?: ImportedTimes; series?: SeriesColumns; announces?: boolean }

/**
 * Adds an event. Returns the save ID, or null if the event already exists. An import passes `times` and `series`. If
 * `announces` is true, members receive an e-mail about the event.
 */
export function addEvent(db: Db, id: string, event: Event, author: Author, options: AddOptions = {}) {
  return addEvents(db, [{ id, event, ...options }], author)
}

/** Adds an event on each of the days as one series, in one save, and announces them. Returns null if the series exists. */
export function addSeries(
  db: Db,
  seriesId: string,
  { event, recurrence, days }: { event: Event; recurrence: SeriesRecurrence; days: Day[] },
  author: Author,
) {
  const occurrences = days.map((day, index) => ({
    id: index === 0 ? seriesId : crypto.randomUUID(),
    event: { ...event, day, deadline: moveDeadline(event, day) },
    series: { seriesId, occurrence: day, recurrence, changedAlone: false },
    announces: true,
  }))
  return addEvents(db, occurrences, author)
}

function addEvents(db: Db, events: (AddOptions & { id: string; event: Event })[], author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    for (const { id, event, times, series = noSeries, announces } of events) {
      if (await lockRow(trx, eventRecord, id)) return null
      const values = { ...toStoredFields(event), ...series, createdAt: author.at, deletedAt: null, ...times }
      await add(trx, eventRecord, { id, ...values }, save)
      if (announces)
        await trx.insertInto('eventNotices').values({ eventId: id, toldVersion: 0, reminded: null }).execute()
    }
    return save.id
  })
}

/**
 * The result of a change, with the number of changed events. `newDeadline` is set if the deadline has changed. A
 * conflict contains the current event. `isLater`: whether only later events of the series have changed.
 */
export type EventOutcome = Outcome<
  { save: string; count: number; newDeadline?: Day | null },
  { event: NewerEvent; isLater: boolean }
>

/** The event that the editor loaded. `laterVersion` is the sum of `readLaterVersions` at that time. */
export type EventRef = RecordRef & { laterVersion?: number }

/**
 * Saves an event. With the scope `later`, also saves the later events of its series, except those that were changed
 * alone. Their deadlines are as many days before them.
 */
export function saveEvent(db: Db, seen: EventRef, event: Event, author: Author, scope: Scope = 'one') {
  return changeEvents(db, { seen, scope, save: newSave(author, 'save') }, async (rows, current, trx) => {
    // The form has no fields of the circle while the circle is switched off, so their stored values must not change.
    const { attendance: _a, capacity: _c, deadline: _d, deadlineTime: _t, membersOnly: _m, ...others } = event
    const isOn = await isCircleOn(trx)
    return rows
      .filter((row) => row === current || !isChangedAlone(row))
      .map((row) => {
        const day = row === current ? event.day : row.day
        const fields = isOn ? toStoredFields({ ...event, deadline: moveDeadline(event, day) }) : others
        return [row, { ...fields, day, changedAlone: scope === 'one' }]
      })
  })
}

/**
 * Moves an event. With the scope `later`, also moves the later events of its series to the days of the recurrence that
 * begins on the new day, except those that were changed alone.
 */
export function moveEvent(db: Db, seen: EventRef, day: Day, author: Author, scope: Scope = 'one') {
  return changeEvents(db, { seen, scope, save: newSave(author, 'move') }, (rows, current) => {
    const { occurrence: first, recurrence } = current
    if (scope === 'one' || !first || !recurrence) return [[current, { day, deadline: moveDeadline(current, day) }]]
    const moved = moveRecurrence(recurrence, first, day)
    // A revert may have restored an event to a day of an earlier recurrence.
    const movable = rows.filter((row) => moved.days.has(row.occurrence ?? ''))
    return movable.map((row) => {
      const occurrence = moved.days.get(row.occurrence ?? '')
      if (!occurrence) throw new Rejection(`${formatDayWithYear(LAST_DAY)}より後には変更できません。`, 400)
      const series = { occurrence, recurrence: moved.recurrence }
      if (row !== current && isChangedAlone(row)) return [row, series]
      return [row, { ...series, day: occurrence, deadline: moveDeadline(row, occurrence) }]
    })
  })
}

/**
 * Soft-deletes an event. With the scope `later`, also deletes all later events of its series. If the same author
 * repeats the deletion, returns the save of the first deletion.
 */
export async function deleteEvent(db: Db, seen: EventRef, author: Author, scope: Scope = 'one'): Promise<EventOutcome> {
  const save = newSave(author, 'delete')
  const result = await changeEvents(db, { seen, scope, save }, (rows) =>
    rows.map((row) => [row, { deletedAt: author.at }]),
  )
  const ownDeletion = result.error === 'missing' && (await findOwnDeletion(db, eventRecord, seen, author))
  return ownDeletion ? { ok: { save: ownDeletion.saveId, count: 1 } } : result
}

type Changes = [row: Row, changed: Partial<Row>][]

function changeEvents(
  db: Db,
  { seen, scope, save }: { seen: EventRef; scope: Scope; save: Save },
  buildChanges: (rows: Row[], current: Row, trx: Trx) => Changes | Promise<Changes>,
): Promise<EventOutcome> {
  return inTransaction(db, async (trx) => {
    const rows = await lockEvents(trx, seen.id, scope)
    const current = rows.find(({ id }) => id === seen.id)
    if (!current) return { error: 'missing' }
    const version = await advanceSeenVersion(trx, eventRecord, seen, save)
    const isLater = current.version === version
    const { [seen.id]: laterVersion = 0 } = await readLaterVersions(trx, current.seriesId ? [seen.id] : [])
    const changeCount = scope === 'later' ? laterVersion - (seen.laterVersion ?? 0) : 0
    if (!isLater || (await isLaterChangedByOthers(trx, current, changeCount, save)))
      return { error: 'conflict', event: { ...toShownEvent(current), laterVersion }, isLater }
    const changes = await buildChanges(rows, current, trx)
    const changed: Row[] = []
    for (const [row, columns] of changes) changed.push(await change(trx, eventRecord, row, columns, save))
    const deadline = changed.find(({ id }) => id === seen.id)?.deadline ?? null
    return {
      ok: { save: save.id, count: changed.length, newDeadline: deadline === current.deadline ? null : deadline },
    }
  })
}

// Whether another author made one of the newest `changeCount` changes of the later events. The count is negative if a
// move has put a later event before this one.
async function isLaterChangedByOthers(trx: Trx, current: Row, changeCount: number, { accountId }: Save) {
  if (changeCount <= 0) return changeCount < 0
  const series = trx.selectFrom('events').select('id').where('seriesId', '=', current.seriesId)
  const later = series.where('occurrence', '>', current.occurrence)
  const newest = await trx
    .selectFrom('revisions')
    .select('accountId')
    .where('subject', '=', eventRecord.subject)
    .where('subjectId', 'in', later)
    .orderBy('at', 'desc')
    .limit(changeCount)
    .execute()
  return newest.some((each) => each.accountId !== accountId)
}

// Locks the events in the order of their IDs, as an undo does, so that no two transactions wait for each other.
async function lockEvents(trx: Trx, id: string, scope: Scope) {
  const ids = [id]
  const event = scope === 'later' ? await readEventForMembers(trx, id) : null
  if (event?.seriesId) {
    const later = selectPresentEvents(trx).clearSelect().select('id').where('seriesId', '=', event.seriesId)
    const rows = await later.where('occurrence', '>', event.occurrence).execute()
    ids.push(...rows.map((row) => row.id))
  }
  const locked: Row[] = []
  for (const each of ids.sort()) {
    const row = await lockPresent(trx, eventRecord, each)
    if (row) locked.push(row)
  }
  return locked
}

function isChangedAlone({ changedAlone, day, occurrence }: Row) {
  return changedAlone || day !== occurrence
}

function toStoredFields(event: Event) {
  return event.attendance ? event : { ...event, capacity: null, deadline: null, deadlineTime: null }
}

function toShownEvent({ createdAt: _, deletedAt: __, ...row }: Row): ShownEvent {
  return row
}
