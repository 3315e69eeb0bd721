import type { Kysely, Selectable, Transaction } from 'kysely'
import type { EventRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Day } from '../dates/month.ts'
import type { Outcome } from '../forms/outcome.ts'
import { seesEvent, type Visitor } from '../permissions.ts'
import { advanceSeenVersion, findOwnDeletion } from '../records/own-saves.server.ts'
import { type ImportedTimes, newSave, type RecordRef, type Save } from '../records/record.ts'
import { add, change, lockPresent, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { type Event, moveDeadline } from './event.ts'
import type { ShownEvent } from './event-format.ts'
import { eventRecord } from './event-record.server.ts'

function selectVisibleEvents(db: Kysely<Tables>, visitor: Visitor) {
  const present = db.selectFrom('events').selectAll().where('deletedAt', 'is', null)
  return seesEvent(visitor, { membersOnly: true }) ? present : present.where('membersOnly', '=', false)
}

/**
 * Lists the events from `first` to `last` inclusive that the visitor may see, sorted by day and time. All-day events
 * come first on their day.
 */
export async function listEvents(
  db: Kysely<Tables>,
  first: Day,
  last: Day,
  visitor: Visitor = null,
): Promise<ShownEvent[]> {
  const rows = await selectVisibleEvents(db, visitor)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .orderBy('day')
    .orderBy((eb) => eb.fn.coalesce('startTime', eb.val('')))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(toShownEvent)
}

const MAX_LISTED = 30

/** Lists the nearest coming events that have RSVPs and that the visitor may see, sorted by day. */
export async function listEventsWithRsvps(
  db: Kysely<Tables>,
  today: Day,
  visitor: Visitor = null,
): Promise<ShownEvent[]> {
  const rows = await selectVisibleEvents(db, visitor)
    .where('attendance', '=', true)
    .where('day', '>=', today)
    .orderBy('day')
    .orderBy((eb) => eb.fn.coalesce('startTime', eb.val('')))
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()
  return rows.map(toShownEvent)
}

/**
 * Lists all events that the visitor may see, except deleted ones, with their creation times, sorted by day. `id` limits
 * the list to one event.
 */
export async function listAllEvents(db: Kysely<Tables>, visitor: Visitor = null, id?: string) {
  const rows = await selectVisibleEvents(db, visitor)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('day')
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...toShownEvent(row), createdAt: row.createdAt }))
}

export async function readEvent(db: Kysely<Tables>, id: string, visitor: Visitor = null) {
  return (await listAllEvents(db, visitor, id))[0] ?? null
}

/** Returns an event even if only members may see it. The caller checks the permission. */
export async function readEventForMembers(db: Kysely<Tables>, id: string): Promise<ShownEvent | null> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return row ? toShownEvent(row) : null
}

/**
 * Adds an event. Returns the save ID, or null if the event already exists. An import passes `times`. If `announces` is
 * true, members receive an e-mail about the event.
 */
export async function addEvent(
  db: Kysely<Tables>,
  id: string,
  event: Event,
  author: Author,
  { times, announces = false }: { times?: ImportedTimes; announces?: boolean } = {},
) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    if (await lockRow(trx, eventRecord, id)) return null
    await add(trx, eventRecord, { id, ...toStoredFields(event), createdAt: author.at, deletedAt: null, ...times }, save)
    if (announces)
      await trx.insertInto('eventNotices').values({ eventId: id, toldVersion: 0, reminded: null }).execute()
    return save.id
  })
}

/** The result of a change. `newDeadline` is set if the deadline has changed. A conflict contains the current event. */
export type EventOutcome = Outcome<{ save: string; newDeadline?: Day | null }, { event: ShownEvent }>

export function saveEvent(db: Kysely<Tables>, seen: RecordRef, event: Event, author: Author) {
  return changeEvent(db, seen, newSave(author, 'save'), async (_, trx) => {
    if (await isCircleOn(trx)) return toStoredFields(event)
    // The form has no fields of the circle while the circle is switched off, so their stored values must not change.
    const { attendance: _a, capacity: _c, deadline: _d, membersOnly: _m, ...others } = event
    return others
  })
}

export function moveEvent(db: Kysely<Tables>, seen: RecordRef, day: Day, author: Author) {
  return changeEvent(db, seen, newSave(author, 'move'), (current) => ({ day, deadline: moveDeadline(current, day) }))
}

/** Soft-deletes an event. If the same author repeats the deletion, returns the save of the first deletion. */
export async function deleteEvent(db: Kysely<Tables>, seen: RecordRef, author: Author): Promise<EventOutcome> {
  const result = await changeEvent(db, seen, newSave(author, 'delete'), () => ({ deletedAt: author.at }))
  const ownDeletion = result.error === 'missing' && (await findOwnDeletion(db, eventRecord, seen, author))
  return ownDeletion ? { ok: { save: ownDeletion.saveId } } : result
}

function changeEvent(
  db: Kysely<Tables>,
  seen: RecordRef,
  save: Save,
  buildChange: (current: EventRow, trx: Transaction<Tables>) => Partial<EventRow> | Promise<Partial<EventRow>>,
): Promise<EventOutcome> {
  return inTransaction(db, async (trx) => {
    const current = await lockPresent(trx, eventRecord, seen.id)
    if (!current) return { error: 'missing' }
    const version = await advanceSeenVersion(trx, eventRecord, seen, save)
    if (current.version !== version) return { error: 'conflict', event: toShownEvent(current) }
    const { deadline } = await change(trx, eventRecord, current, await buildChange(current, trx), save)
    return { ok: { save: save.id, newDeadline: deadline === current.deadline ? null : deadline } }
  })
}

function toStoredFields({ attendance, capacity, deadline, ...event }: Event) {
  return { ...event, attendance, ...(attendance ? { capacity, deadline } : { capacity: null, deadline: null }) }
}

function toShownEvent({ createdAt: _, deletedAt: __, ...row }: Selectable<EventRow>): ShownEvent {
  return row
}
