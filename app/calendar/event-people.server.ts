import type { Kysely } from 'kysely'
import type { AnswerRow, EventGuestRow, Tables } from '../../db/tables.ts'
import { activeMembers, byName } from '../members/members.server.ts'
import { mayManageMembers, type Visitor } from '../permissions.ts'
import { type Entry, formatAuthor, type History } from '../records/history.ts'
import { parseRevision } from '../records/revisions.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import type { ShownEvent } from './event-format.ts'
import { readEvent } from './events.server.ts'
import { guestRecord } from './guests.server.ts'
import { type EventPerson, formatCame, rsvpLabels, splitByCapacity } from './rsvp.ts'
import { readParties } from './rsvps.server.ts'

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
  const members = await activeMembers(db).select(['id', 'id as memberId', 'username as name', 'accountname']).execute()
  members.sort((a, b) => byName.compare(a.name, b.name) || byName.compare(a.id, b.id))
  const guests = parties.filter(({ memberId }) => memberId === null)
  const partyOf = new Map(parties.map((party) => [party.id, party]))
  const seesNotes = mayManageMembers(visitor)
  return [...members, ...guests].map(({ id, ...person }) => {
    const party = partyOf.get(id)
    return {
      id,
      memberId: person.memberId,
      name: person.name,
      accountname: 'accountname' in person ? person.accountname : '',
      version: party?.version ?? 0,
      answer: party?.answer ?? null,
      companions: party?.companions ?? 0,
      came: party?.came ?? null,
      turn: party?.turn ?? 0,
      waiting: party && waiting.includes(party) ? waiting.indexOf(party) + 1 : null,
      note: seesNotes ? (party?.note ?? '') : '',
    }
  })
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
    .where('subject', 'in', ['answer', guestRecord.subject])
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
  return [rsvpLabels[row.answer], companions, formatCame(row.came)].filter(Boolean).join('・')
}

function describeGuest(row: EventGuestRow | null) {
  return row ? [`ゲスト「${row.name}」`, formatCame(row.came)].filter(Boolean).join('・') : '（なし）'
}
