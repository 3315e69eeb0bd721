import type { Kysely, Transaction } from 'kysely'
import type { AnswerRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Outcome, Rejection } from '../forms/outcome.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import { mayManageMembers, mayRsvp, seesMembers, type Visitor } from '../permissions.ts'
import { advanceSeenVersion } from '../records/own-saves.server.ts'
import { newSave } from '../records/record.ts'
import { lockPresent } from '../records/records.server.ts'
import { addRevision, lastRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import type { ShownEvent } from './event-format.ts'
import { eventRecord } from './event-record.server.ts'
import { isRsvpClosed, type Participation, type RsvpValues, splitByCapacity } from './rsvp.ts'

/** Returns the RSVPs to the events, or an empty result if the visitor may not see members. */
export async function readParticipations(
  db: Kysely<Tables>,
  visitor: Visitor,
  events: ShownEvent[],
): Promise<Participation[]> {
  const eventsWithRsvps = events.filter(({ attendance }) => attendance)
  if (!seesMembers(visitor) || eventsWithRsvps.length === 0) return []
  // RSVPs of deleted or no longer approved members are excluded, so that these members take no spot.
  const allRsvps = await db
    .selectFrom('answers')
    .innerJoin('members', 'members.id', 'answers.memberId')
    .select(['eventId', 'memberId', 'answers.version', 'answer', 'note', 'turn', 'username'])
    .where(
      'eventId',
      'in',
      eventsWithRsvps.map(({ id }) => id),
    )
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb('admin', '=', true), eb('administrator', '=', true)]))
    .orderBy('turn')
    .execute()
  const usernames = (rsvps: typeof allRsvps) => rsvps.map(({ username }) => username)
  return eventsWithRsvps.map((event) => {
    const rsvps = allRsvps.filter(({ eventId }) => eventId === event.id)
    const { coming, waiting } = splitByCapacity(rsvps, event.capacity)
    const own = rsvps.find(({ memberId }) => memberId === visitor?.member?.id)
    const rsvpsWithNote = mayManageMembers(visitor) ? rsvps.filter(({ note }) => note) : []
    return {
      eventId: event.id,
      mayAnswer: mayRsvp(visitor),
      own: own
        ? {
            answer: own.answer,
            note: own.note,
            version: own.version,
            waiting: waiting.includes(own) ? waiting.indexOf(own) + 1 : null,
          }
        : null,
      coming: usernames(coming),
      waiting: usernames(waiting),
      maybe: usernames(rsvps.filter(({ answer }) => answer === 'maybe')),
      notes: rsvpsWithNote.map(({ username, note }) => ({ name: username, note })),
    }
  })
}

/** `version` is the version of the RSVP that the member loaded, or 0 if there was no RSVP. */
type RsvpInput = SeenVersion & { eventId: string; memberId: string; said: RsvpValues }
type SavedRsvp = { before: RsvpValues; version: number; save: string }

/**
 * Saves an RSVP. If `answer` changes, the RSVP moves to the end of the queue. Throws a `Rejection` after the deadline.
 * `now` is as in `isRsvpClosed`.
 */
export function saveRsvp(db: Kysely<Tables>, input: RsvpInput, author: Author, now: string) {
  const { eventId, memberId, said, ...seen } = input
  const subjectId = `${eventId}/${memberId}`
  return inTransaction(db, async (trx): Promise<Outcome<SavedRsvp>> => {
    // The lock on the event makes RSVPs and event changes wait for each other, so that the queue has one order.
    const event = await lockPresent(trx, eventRecord, eventId)
    if (!event?.attendance) return { error: 'missing' }
    if (isRsvpClosed(event, now)) throw new Rejection('締切を過ぎたため、回答を変更できません。')

    const key = { eventId, memberId }
    const before = await trx
      .selectFrom('answers')
      .selectAll()
      .where((row) => row.and(key))
      .executeTakeFirst()
    const version = await advanceSeenVersion(trx, { subject: 'answer' }, { id: subjectId, ...seen }, author)
    if ((before?.version ?? 0) !== version) return { error: 'conflict' }
    const after = said && { ...key, ...(await buildRsvpRow(trx, before, key, said, author)) }
    if (after) {
      await trx
        .insertInto('answers')
        .values(after)
        .onConflict((conflict) => conflict.columns(['eventId', 'memberId']).doUpdateSet(after))
        .execute()
    } else {
      await trx
        .deleteFrom('answers')
        .where((row) => row.and(key))
        .execute()
    }
    const save = newSave(author, after ? 'answer' : 'withdraw')
    if (before || after) {
      const record = { subject: 'answer', subjectId, topic: 'answers' as const }
      const version = after?.version ?? (before?.version ?? 0) + 1
      await addRevision(trx, { ...record, version, before: before ?? null, after }, save)
    }
    const previousValues = before ? { answer: before.answer, note: before.note } : null
    return { ok: { before: previousValues, version: after?.version ?? 0, save: save.id } }
  })
}

async function buildRsvpRow(
  trx: Transaction<Tables>,
  before: AnswerRow | undefined,
  { eventId, memberId }: Pick<AnswerRow, 'eventId' | 'memberId'>,
  { answer, note }: NonNullable<RsvpValues>,
  { at }: Author,
) {
  const latest = before ?? (await lastRevision(trx, 'answer', `${eventId}/${memberId}`))
  const changed = { version: (latest?.version ?? 0) + 1, answer, note, updatedAt: at }
  // If only the note changes, the RSVP does not lose its queue position.
  if (before?.answer === answer) return { ...before, ...changed }
  const last = await trx
    .selectFrom('answers')
    .select((eb) => eb.fn.max('turn').as('turn'))
    .where('eventId', '=', eventId)
    .executeTakeFirst()
  return { ...changed, turn: (last?.turn ?? 0) + 1, answeredAt: at, createdAt: before?.createdAt ?? at }
}
