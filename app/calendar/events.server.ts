import type { Kysely, Selectable, Transaction } from 'kysely'
import type { EventRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Day } from '../days/month.ts'
import { readRevision, readSave, recordRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import { deadlineMoved, type Event } from './event.ts'
import type { ShownEvent } from './event-words.ts'

/** The events from `first` to `last`, both included: by day, those of the whole day first, then by time. */
export async function listEvents(db: Kysely<Tables>, first: Day, last: Day): Promise<ShownEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('deletedAt', 'is', null)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .orderBy('day')
    .orderBy((eb) => eb.fn.coalesce('startTime', eb.val('')))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(shown)
}

const MOST_ASKED = 30

/** The coming events whose members are asked whether they come: the nearest ones, by day. */
export async function listEventsWithAnswers(db: Kysely<Tables>, today: Day): Promise<ShownEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('deletedAt', 'is', null)
    .where('attendance', '=', 1)
    .where('day', '>=', today)
    .orderBy('day')
    .orderBy((eb) => eb.fn.coalesce('startTime', eb.val('')))
    .orderBy('id')
    .limit(MOST_ASKED)
    .execute()
  return rows.map(shown)
}

/** All events that were not deleted, by day, or the one of that id; with the time at which they were added. */
export async function listAllEvents(db: Kysely<Tables>, id?: string) {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('deletedAt', 'is', null)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('day')
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...shown(row), createdAt: row.createdAt }))
}

/** An event that was not deleted, else null. */
export async function readEvent(db: Kysely<Tables>, id: string) {
  const row = await rowOf(db, id)
  return row && row.deletedAt === null ? shown(row) : null
}

/** Adds an event under an id that the form brought along: sent twice, it is added once. Gives the revision, null the second time. */
export async function addEvent(db: Kysely<Tables>, id: string, event: Event, author: Author) {
  const row = { id, version: 1, ...stored(event), createdAt: author.at, updatedAt: author.at, deletedAt: null }
  return inTransaction(db, async (trx) => {
    const added = await trx
      .insertInto('events')
      .values(row)
      .onConflict((already) => already.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!added) return null
    return recordRevision(trx, { subject: 'event', subjectId: id, action: 'add', before: null, after: row }, author)
  })
}

export type Seen = { id: string; version: number }
/** `newDeadline`: where it changed; `newer`: somebody was faster, and nothing was changed; `missing`: it is deleted. */
export type EventOutcome =
  | { outcome: 'saved'; revision: string; newDeadline?: Day | null }
  | { outcome: 'newer'; event: ShownEvent }
  | { outcome: 'missing' }

/** Saves what was edited of the event whose version the editor saw. */
export function saveEvent(db: Kysely<Tables>, seen: Seen, event: Event, author: Author) {
  return changeEvent(db, seen, { action: 'save', changed: () => stored(event) }, author)
}

/** Moves an event to another day, and its deadline along. */
export function moveEvent(db: Kysely<Tables>, seen: Seen, day: Day, author: Author) {
  return changeEvent(
    db,
    seen,
    { action: 'move', changed: (before) => ({ day, deadline: deadlineMoved(before, day) }) },
    author,
  )
}

export function deleteEvent(db: Kysely<Tables>, seen: Seen, author: Author) {
  return changeEvent(db, seen, { action: 'delete', changed: () => ({ deletedAt: author.at }) }, author)
}

function changeEvent(
  db: Kysely<Tables>,
  { id, version }: Seen,
  { action, changed }: { action: string; changed: (before: EventRow) => Partial<EventRow> },
  author: Author,
): Promise<EventOutcome> {
  return inTransaction(db, async (trx) => {
    const before = await rowOf(trx, id)
    if (!before || before.deletedAt !== null) return { outcome: 'missing' }
    const after = { ...changed(before), version: version + 1, updatedAt: author.at }
    // The version is asked for again in the update: two at once have read the same row, one changes it.
    const updated = await trx
      .updateTable('events')
      .set(after)
      .where('id', '=', id)
      .where('version', '=', version)
      .where('deletedAt', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (!updated) {
      const newer = await rowOf(trx, id)
      return newer && newer.deletedAt === null ? { outcome: 'newer', event: shown(newer) } : { outcome: 'missing' }
    }
    const revision = { subject: 'event', subjectId: id, action, before, after: action === 'delete' ? null : updated }
    const newDeadline = updated.deadline === before.deadline ? null : updated.deadline
    return { outcome: 'saved', revision: await recordRevision(trx, revision, author), newDeadline }
  })
}

/** Takes a change of an event back; null where it was changed since, and nothing is done. Gives the new revision. */
export async function takeBackEvent(db: Kysely<Tables>, revisionId: string, author: Author) {
  return inTransaction(db, async (trx) => {
    const change = (await readSave(trx, 'event', revisionId)).find(({ id }) => id === revisionId)
    if (!change) return null
    const before = change.before as EventRow | null
    const seen = (change.after as EventRow | null)?.version ?? (before?.version ?? 0) + 1
    const now = await rowOf(trx, change.subjectId)
    if (!now || now.version !== seen) return null
    const then = before ?? { ...now, deletedAt: author.at }
    return writeAsThen(trx, now, then, { action: 'take back', author })
  })
}

/** Makes an event again what it was right after a revision of it, from the bin too. */
export async function putBackEvent(db: Kysely<Tables>, revisionId: string, author: Author): Promise<EventOutcome> {
  return inTransaction(db, async (trx) => {
    const change = await readRevision(trx, 'event', revisionId)
    const now = change && (await rowOf(trx, change.subjectId))
    if (!now || !change.after) return { outcome: 'missing' }
    const then = { ...(change.after as EventRow), deletedAt: null }
    const revision = await writeAsThen(trx, now, then, { action: 'put back', author })
    return revision ? { outcome: 'saved', revision } : { outcome: 'newer', event: shown(now) }
  })
}

/** Takes an event out of the bin as it was; `missing` where it is not there. */
export async function restoreEvent(db: Kysely<Tables>, id: string, author: Author): Promise<EventOutcome> {
  return inTransaction(db, async (trx) => {
    const now = await rowOf(trx, id)
    if (!now || now.deletedAt === null) return { outcome: 'missing' }
    const revision = await writeAsThen(trx, now, { ...now, deletedAt: null }, { action: 'restore', author })
    return revision ? { outcome: 'saved', revision } : { outcome: 'missing' }
  })
}

// Null where the event is no longer the one that was read.
async function writeAsThen(
  trx: Transaction<Tables>,
  now: EventRow,
  then: EventRow,
  { action, author }: { action: string; author: Author },
) {
  const updated = await trx
    .updateTable('events')
    .set({ ...then, version: now.version + 1, updatedAt: author.at })
    .where('id', '=', now.id)
    .where('version', '=', now.version)
    .returningAll()
    .executeTakeFirst()
  if (!updated) return null
  const before = now.deletedAt === null ? now : null
  const after = updated.deletedAt === null ? updated : null
  return recordRevision(trx, { subject: 'event', subjectId: now.id, action, before, after }, author)
}

/** The events that were deleted since an instant (ISO 8601 in UTC), the last one first. */
export function listDeletedEvents(db: Kysely<Tables>, since: string) {
  return db
    .selectFrom('events')
    .select(['id', 'title', 'day', 'deletedAt'])
    .where('deletedAt', '>=', since)
    .$narrowType<{ deletedAt: string }>()
    .orderBy('deletedAt', 'desc')
    .execute()
}

function rowOf(db: Kysely<Tables>, id: string) {
  return db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst()
}

// What only an event with answers has is forgotten with its mark.
function stored({ attendance, capacity, deadline, ...event }: Event) {
  return attendance
    ? { ...event, attendance: 1, capacity, deadline }
    : { ...event, attendance: 0, capacity: null, deadline: null }
}

function shown({ createdAt: _, deletedAt: __, attendance, ...row }: Selectable<EventRow>): ShownEvent {
  return { ...row, attendance: attendance === 1 }
}
