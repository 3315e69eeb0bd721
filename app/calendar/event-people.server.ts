import type { Kysely, Transaction } from 'kysely'
import type { AnswerRow, EventGuestRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Outcome } from '../forms/outcome.ts'
import { activeMembers, byName } from '../members/members.server.ts'
import { mayManageMembers, type Visitor } from '../permissions.ts'
import { type Entry, formatAuthor, type History } from '../records/history.ts'
import { advanceSeenVersion } from '../records/own-saves.server.ts'
import { newSave, type RecordRef } from '../records/record.ts'
import { add, change, lockPresent, lockRow } from '../records/records.server.ts'
import { parseRevision } from '../records/revisions.server.ts'
import { type Author, contextOf, type RequestContext } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { eventGuestRecord } from './event-guest-record.server.ts'
import { eventRecord } from './event-record.server.ts'
import { readEvent } from './events.server.ts'
import type { ShownEvent } from './event-format.ts'
import { cameLabel, type EventPerson, rsvpLabels, splitByCapacity } from './rsvp.ts'
import { nextTurn, readParties } from './rsvps.server.ts'

/** Returns an event with RSVPs, or null if the event is missing, has no RSVPs, or the site has no circle. */
export async function readEventWithRsvps(db: Kysely<Tables>, id: string) {
  const event = (await isCircleOn(db)) ? await readEvent(db, id) : null
  return event?.attendance ? event : null
}

/** Returns the active members by name, then the guests in the order of the queue. Only administrators see the notes. */
export async function readEventPeople(
  db: Kysely<Tables>,
  visitor: Visitor,
  { id, capacity }: Pick<ShownEvent, 'id' | 'capacity'>,
): Promise<EventPerson[]> {
  const parties = await readParties(db, [id])
  const { waiting } = splitByCapacity(parties, capacity)
  const members = await activeMembers(db).select(['id', 'username as name', 'accountname']).execute()
  const seesNotes = mayManageMembers(visitor)
  const people = members
    .sort((a, b) => byName.compare(a.name, b.name) || byName.compare(a.id, b.id))
    .map((member) => ({ ...member, party: parties.find(({ memberId }) => memberId === member.id) }))
  const guests = parties.filter(({ memberId }) => memberId === null)
  return [...people, ...guests.map((party) => ({ id: party.id, name: party.name, accountname: null, party }))].map(
    ({ party, ...person }) => ({
      ...person,
      version: party?.version ?? 0,
      answer: party?.answer ?? null,
      companions: party?.companions ?? 0,
      came: party?.came ?? null,
      turn: party?.turn ?? 0,
      waiting: party && waiting.includes(party) ? waiting.indexOf(party) + 1 : null,
      note: seesNotes ? (party?.note ?? '') : '',
    }),
  )
}

const PAGE_SIZE = 20

/** Returns the history of the RSVPs of active members and of the guests of an event. Nothing in it can be reverted. */
export async function readRsvpHistory(context: RequestContext, eventId: string, page: number): Promise<History> {
  const { db, visitor, records } = contextOf(context)
  const members = await activeMembers(db).select(['id', 'accountId', 'username']).execute()
  const guests = await db.selectFrom('eventGuests').select(['id', 'name']).where('eventId', '=', eventId).execute()
  const labels = new Map([
    ...members.map(({ id, username }) => [`${eventId}/${id}`, username] as const),
    ...guests.map(({ id, name }) => [id, name] as const),
  ])
  const rows = await db
    .selectFrom('revisions')
    .selectAll()
    .where('subject', 'in', ['answer', eventGuestRecord.subject])
    .where('subjectId', 'in', ['', ...labels.keys()])
    .orderBy('at', 'desc')
    .orderBy('version', 'desc')
    .limit(PAGE_SIZE + 1)
    .offset((page - 1) * PAGE_SIZE)
    .execute()
  const authors = new Set(rows.flatMap(({ accountId }) => accountId ?? []))
  // An organiser who sees no members elsewhere sees the names of this page as authors too.
  const names = new Map([
    ...(await records.namesOf(db, visitor, [...authors])),
    ...members.flatMap(({ accountId, username }) => (accountId ? [[accountId, username] as const] : [])),
  ])
  const entries = rows.slice(0, PAGE_SIZE).map((row): Entry => {
    const { id, at, accountId, subject, subjectId, ...states } = parseRevision(row)
    const [before, after] = [states.before, states.after].map((state) =>
      subject === 'answer' ? describeRsvp(state as AnswerRow | null) : describeGuest(state as EventGuestRow | null),
    ) as [string, string]
    const change = { label: labels.get(subjectId) ?? '', before: before === after ? '' : before, after }
    return { id, at, by: formatAuthor(accountId, names), kind: 'changed', changes: [change], canReturn: false }
  })
  return { entries, page, older: rows.length > PAGE_SIZE }
}

function describeRsvp(row: AnswerRow | null) {
  if (!row) return '未回答'
  const companions = row.companions > 0 && `お連れ様${row.companions}名`
  return [rsvpLabels[row.answer], companions, cameLabel(row.came)].filter(Boolean).join('・')
}

function describeGuest(row: EventGuestRow | null) {
  return row ? [`ゲスト「${row.name}」`, cameLabel(row.came)].filter(Boolean).join('・') : '（なし）'
}

/** Adds a guest to the end of the queue. Returns the save ID. The guest takes a seat like a member. */
export async function addGuest(trx: Transaction<Tables>, eventId: string, name: string, author: Author) {
  const save = newSave(author, 'add')
  const id = crypto.randomUUID()
  await lockRow(trx, eventGuestRecord, id)
  await lockPresent(trx, eventRecord, eventId)
  const columns = { id, eventId, name, turn: await nextTurn(trx, eventId), came: null, createdAt: author.at, deletedAt: null }
  await add(trx, eventGuestRecord, columns, save)
  return save.id
}

/** Changes a guest. Returns the save ID. */
export function changeGuest(
  db: Kysely<Tables>,
  seen: RecordRef,
  changes: Partial<Pick<EventGuestRow, 'name' | 'came'>>,
  author: Author,
) {
  const save = newSave(author, 'save')
  return inTransaction(db, async (trx): Promise<Outcome<string>> => {
    const row = await lockPresent(trx, eventGuestRecord, seen.id)
    if (!row) return { error: 'missing' }
    if (row.version !== (await advanceSeenVersion(trx, eventGuestRecord, seen, author))) return { error: 'conflict' }
    await change(trx, eventGuestRecord, row, changes, save)
    return { ok: save.id }
  })
}
