import type { Db, EventGuestRow } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Outcome } from '../forms/outcome.ts'
import { refusalOfOrganising } from '../permissions.ts'
import { advanceSeenVersion } from '../records/own-saves.server.ts'
import { newSave, type RecordRef, type RecordType } from '../records/record.ts'
import { add, change, lockPresent } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import type { ShownEvent } from './event-format.ts'
import { eventRecord } from './event-record.server.ts'
import { cameTo, eventPeoplePath, formatCame } from './rsvp.ts'
import { nextTurn } from './rsvps.server.ts'

/** The record type of guests without an account. A guest has one seat in the queue of the event. */
export const guestRecord: RecordType<EventGuestRow> = {
  subject: 'guest',
  table: 'eventGuests',
  topicOf: () => 'answers',
  refusal: refusalOfOrganising,
  describe: ({ name, came }) => ({ お名前: name, 来場: formatCame(came) }),
  titleOf: ({ name }) => `${name}（ゲスト）`,
  placeOf: () => '出欠',
  urlOf: ({ eventId }) => eventPeoplePath(eventId),
  immutable: ['eventId', 'turn'],
}

type NewGuest = Pick<EventGuestRow, 'id' | 'eventId' | 'name'>

/** Adds a guest with a new ID at the end of the queue. Returns the save ID. */
export function addGuest(db: Db, { id, eventId, name }: NewGuest, author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx): Promise<Outcome<string>> => {
    const event = await lockPresent(trx, eventRecord, eventId)
    if (!event?.attendance) return { error: 'missing' }
    const times = { createdAt: author.at, deletedAt: null }
    await add(trx, guestRecord, { id, eventId, name, turn: await nextTurn(trx, eventId), came: null, ...times }, save)
    return { ok: save.id }
  })
}

/** Changes a guest of the event. Returns the save ID. */
export function changeGuest(
  db: Db,
  event: ShownEvent,
  seen: RecordRef,
  changes: Partial<EventGuestRow>,
  author: Author,
) {
  const save = newSave(author, 'save')
  return inTransaction(db, async (trx): Promise<Outcome<string>> => {
    const row = await lockPresent(trx, guestRecord, seen.id)
    if (row?.eventId !== event.id) return { error: 'missing' }
    if (row.version !== (await advanceSeenVersion(trx, guestRecord, seen, author))) return { error: 'conflict' }
    await change(trx, guestRecord, row, { came: cameTo(event, row), ...changes }, save)
    return { ok: save.id }
  })
}
