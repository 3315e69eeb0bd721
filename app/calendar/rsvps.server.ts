import { lock } from '../../db/engine.ts'
import type { AnswerRow, Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Outcome, Rejection } from '../forms/outcome.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import { activeMembers } from '../members/members.server.ts'
import { isResting, mayManageMembers, mayRsvp, seesMembers, type Visitor } from '../permissions.ts'
import { advanceSeenVersion } from '../records/own-saves.server.ts'
import { newSave } from '../records/record.ts'
import { lockPresent } from '../records/records.server.ts'
import { addRevision, lastRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import type { ShownEvent } from './event-format.ts'
import { eventRecord } from './event-record.server.ts'
import { cameTo, countSeats, formatParty, isRsvpClosed, type RsvpValues, seatsOf, splitByCapacity } from './rsvp.ts'

export type Participation = Awaited<ReturnType<typeof readParticipations>>[number]

/** Returns the RSVPs to the events, or an empty result if the visitor may not see members. */
export async function readParticipations(db: Db, visitor: Visitor, events: ShownEvent[]) {
  const eventsWithRsvps = events.filter(({ attendance }) => attendance)
  if (!seesMembers(visitor) || eventsWithRsvps.length === 0) return []
  const allParties = await readParties(db, eventsWithRsvps)
  return eventsWithRsvps.map((event) => {
    const parties = allParties.filter(({ eventId }) => eventId === event.id)
    const { coming, waiting } = splitByCapacity(parties, event.capacity)
    const own = parties.find(({ memberId }) => memberId !== null && memberId === visitor?.member?.id)
    const partiesWithNote = mayManageMembers(visitor) ? parties.filter(({ note }) => note) : []
    return {
      eventId: event.id,
      mayAnswer: mayRsvp(visitor),
      /** The ID of the visitor's member, if the member is resting. */
      restingMemberId: isResting(visitor) ? (visitor?.member?.id ?? null) : null,
      /** `waiting` is the waitlist position from 1, or null if the member is not on the waitlist. */
      own: own
        ? {
            answer: own.answer,
            note: own.note,
            companions: own.companions,
            version: own.version,
            waiting: waiting.indexOf(own) + 1 || null,
          }
        : null,
      /** The names of the parties in the order of the queue, as 山田（＋1） and 佐藤（ゲスト）. */
      coming: coming.map(formatParty),
      waiting: waiting.map(formatParty),
      /** The numbers of people in `coming` and `waiting`. */
      seats: { coming: countSeats(coming), waiting: countSeats(waiting) },
      maybe: parties.filter(({ answer }) => answer === 'maybe').map(({ name }) => name),
      notes: partiesWithNote.map(({ name, note }) => ({ name, note })),
    }
  })
}

/**
 * An active member's RSVP with the companions, or a guest without an account, whose `memberId` is null. `id` is the ID of
 * the member or of the guest.
 */
export type Party = Awaited<ReturnType<typeof readParties>>[number]

/** Returns the RSVPs of active members and the guests, in the order of the queue. */
export async function readParties(db: Db, events: Pick<ShownEvent, 'id' | 'day' | 'startTime'>[]) {
  const eventsById = new Map(events.map((event) => [event.id, event]))
  const eventIds = [...eventsById.keys()]
  const rsvps = await db
    .selectFrom('answers')
    .innerJoin(activeMembers(db).select(['id', 'accountId', 'username as name']).as('members'), 'id', 'memberId')
    .select(['id', 'memberId', 'accountId', 'name', 'eventId', 'version', 'answer', 'note', 'turn', 'companions'])
    .select(['came', 'toldPlace', 'updatedAt'])
    .where('eventId', 'in', eventIds)
    .execute()
  const guests = await db
    .selectFrom('eventGuests')
    .select(['id', 'name', 'eventId', 'version', 'turn', 'came', 'updatedAt'])
    .where('eventId', 'in', eventIds)
    .where('deletedAt', 'is', null)
    .execute()
  const answer = { answer: 'yes', note: '', companions: 0, toldPlace: '' } as const
  const guestColumns = { memberId: null, accountId: null, ...answer }
  const parties = [...rsvps, ...guests.map((guest) => ({ ...guest, ...guestColumns }))]
  const partiesWithAttendance = parties.map(({ updatedAt, ...party }) => {
    const event = eventsById.get(party.eventId)
    return { ...party, came: event ? cameTo(event, { ...party, updatedAt }) : null }
  })
  return partiesWithAttendance.sort((a, b) => a.turn - b.turn)
}

/**
 * `version` is the version of the RSVP that the author loaded, or 0 if there was no RSVP. The author is an organiser if
 * `organises` is true. `said` may be a function of the stored RSVP and of the RSVP before the last change. Its result
 * can have the queue position of the row `undone`.
 */
type RsvpInput = SeenVersion & {
  eventId: string
  memberId: string
  organises?: boolean
  said: RsvpValues | ((now: AnswerRow | null, previous: AnswerRow | null) => WrittenRsvp)
}
type WrittenRsvp = (NonNullable<RsvpValues> & { undone?: AnswerRow }) | null
type SavedRsvp = { before: RsvpValues; version: number; save: string }

/**
 * Saves an RSVP. If `answer` changes or the party grows, the RSVP moves to the end of the queue. Throws a `Rejection`
 * after the deadline unless an organiser answers, or if the party grows beyond the capacity. `now` is as in
 * `isRsvpClosed`.
 */
export function saveRsvp(db: Db, input: RsvpInput, author: Author, now: string) {
  const { eventId, memberId, organises = false, ...seen } = input
  const subjectId = `${eventId}/${memberId}`
  return inTransaction(db, async (trx): Promise<Outcome<SavedRsvp>> => {
    // A concurrent change of the member's approval waits, so that the change moves the queue of this event as well.
    await lock(trx, `member ${memberId}`)
    // The lock on the event makes RSVPs and event changes wait for each other, so that the queue has one order.
    const event = await lockPresent(trx, eventRecord, eventId)
    if (!event?.attendance) return { error: 'missing' }
    if (!organises && isRsvpClosed(event, now)) throw new Rejection('締切を過ぎたため、回答を変更できません。')

    const key = { eventId, memberId }
    const stored = trx.selectFrom('answers').selectAll().where('eventId', '=', eventId).where('memberId', '=', memberId)
    const row = await stored.executeTakeFirst()
    const before = row && { ...row, came: cameTo(event, row) }
    const version = await advanceSeenVersion(trx, { subject: 'answer' }, { id: subjectId, ...seen }, author)
    if ((before?.version ?? 0) !== version) return { error: 'conflict' }
    const said = await readSaid(trx, subjectId, input.said, before ?? null)
    const hasGrown = said?.answer === 'yes' && (before?.answer !== 'yes' || seatsOf(said) > seatsOf(before))
    if (hasGrown && event.capacity !== null && seatsOf(said) > event.capacity)
      throw new Rejection(`定員は${event.capacity}名です。お連れ様の人数を減らしてください。`)
    const after = said && { ...key, ...(await buildRsvpRow(trx, before, key, said, author)) }
    if (after) {
      await trx
        .insertInto('answers')
        .values(after)
        .onConflict((conflict) => conflict.columns(['eventId', 'memberId']).doUpdateSet(after))
        .execute()
    } else {
      await trx.deleteFrom('answers').where('eventId', '=', eventId).where('memberId', '=', memberId).execute()
    }
    const save = newSave(author, after ? 'answer' : 'withdraw')
    if (before || after) {
      const record = { subject: 'answer', subjectId, topic: 'answers' as const }
      const version = after?.version ?? (before?.version ?? 0) + 1
      await addRevision(trx, { ...record, version, before: before ?? null, after }, save)
    }
    const previousValues = before ? { answer: before.answer, note: before.note, companions: before.companions } : null
    return { ok: { before: previousValues, version: after?.version ?? 0, save: save.id } }
  })
}

async function readSaid(
  trx: Trx,
  subjectId: string,
  said: RsvpInput['said'],
  now: AnswerRow | null,
): Promise<WrittenRsvp> {
  if (typeof said !== 'function') return said
  const last = await lastRevision(trx, 'answer', subjectId)
  return said(now, (last?.before ?? null) as AnswerRow | null)
}

async function buildRsvpRow(
  trx: Trx,
  before: AnswerRow | undefined,
  { eventId, memberId }: Pick<AnswerRow, 'eventId' | 'memberId'>,
  { answer, note, companions: requestedCompanions = 0, came, undone }: NonNullable<WrittenRsvp>,
  { at }: Author,
): Promise<Omit<AnswerRow, 'eventId' | 'memberId'>> {
  const latest = before ?? (await lastRevision(trx, 'answer', `${eventId}/${memberId}`))
  const companions = answer === 'yes' ? requestedCompanions : 0
  const isSameAnswer = before?.answer === answer
  // If only the note changes or the party shrinks, the RSVP does not lose its queue position.
  const place = undone ?? (isSameAnswer && companions <= before.companions ? before : null)
  return {
    version: (latest?.version ?? 0) + 1,
    answer,
    note,
    companions,
    came: came === undefined ? (before?.came ?? null) : came,
    toldPlace: isSameAnswer ? before.toldPlace : (undone?.toldPlace ?? ''),
    turn: place?.turn ?? (await nextTurn(trx, eventId)),
    answeredAt: place?.answeredAt ?? at,
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
  }
}

/** Returns the number of the last place in the queue. The caller has locked the event. */
export async function nextTurn(trx: Trx, eventId: string) {
  const lastTurns = (['answers', 'eventGuests'] as const).map((table) =>
    trx
      .selectFrom(table)
      .select((eb) => eb.fn.max<number | null>('turn').as('turn'))
      .where('eventId', '=', eventId)
      .executeTakeFirst(),
  )
  return Math.max(...(await Promise.all(lastTurns)).map((last) => last?.turn ?? 0)) + 1
}
