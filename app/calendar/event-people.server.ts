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
import { type EventPerson, formatCame, formatRsvp, splitByCapacity } from './rsvp.ts'
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
  const members = await activeMembers(db).select(['id', 'username as name', 'accountname']).execute()
  members.sort((a, b) => byName.compare(a.name, b.name) || byName.compare(a.id, b.id))
  const partyOf = new Map(parties.map((party) => [party.id, party]))
  const people = [
    ...members.map((member) => ({ ...member, memberId: member.id })),
    ...parties.filter(({ memberId }) => memberId === null).map(({ id, name }) => ({ id, name, ...guestNames })),
  ]
  return people.map((person) => {
    const party = partyOf.get(person.id)
    if (!party) return { ...person, ...noRsvp }
    const { version, answer, companions, came, turn } = party
    const place = waiting.includes(party) ? waiting.indexOf(party) + 1 : null
    const note = mayManageMembers(visitor) ? party.note : ''
    return { ...person, version, answer, companions, came, turn, waiting: place, note }
  })
}

const guestNames = { memberId: null, accountname: '' }
const noRsvp = { version: 0, answer: null, companions: 0, came: null, turn: 0, waiting: null, note: '' }

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
    const [before, after] = [describeState(subject, states.before), describeState(subject, states.after)]
    const change = { label: labels.get(subjectId) ?? '', before: before === after ? '' : before, after }
    return { id, at, by: formatAuthor(accountId, names), kind: 'changed', changes: [change], canReturn: false }
  })
  return { entries, page, older: rows.length > PAGE_SIZE }
}

function describeState(subject: string, state: object | null) {
  if (subject === 'answer') return state ? formatRsvp(state as AnswerRow) : '未回答'
  const guest = state as EventGuestRow | null
  return guest ? [`ゲスト「${guest.name}」`, formatCame(guest.came)].filter(Boolean).join('・') : '（なし）'
}
