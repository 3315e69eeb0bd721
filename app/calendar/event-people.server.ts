import type { AnswerRow, Db, EventGuestRow } from '../../db/tables.ts'
import { timeInJapan } from '../dates/japan.ts'
import { activeMembers, compareMembers } from '../members/members.server.ts'
import { mayManageMembers } from '../permissions.ts'
import { type Entry, formatAuthor, type History } from '../records/history.ts'
import { parseRevision } from '../records/revisions.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { answerUrl } from './answer-link.server.ts'
import type { ShownEvent } from './event-format.ts'
import { readEventForMembers } from './events.server.ts'
import { guestRecord } from './guests.server.ts'
import { countSeats, formatCame, formatParty, formatRsvp, isRsvpClosed, type Rsvp, splitByCapacity } from './rsvp.ts'
import { readParties } from './rsvps.server.ts'

/** Returns an event with RSVPs, or null if the event is missing, has no RSVPs, or the site has no circle. */
export async function readEventWithRsvps(db: Db, id: string) {
  const event = (await isCircleOn(db)) ? await readEventForMembers(db, id) : null
  return event?.attendance ? event : null
}

export type EventPerson = Awaited<ReturnType<typeof readEventPeople>>['people'][number]

/**
 * Returns the active members by name with their RSVPs, then the guests, and the names in groups. Only administrators see
 * the notes. While RSVPs are open, each member has an answer link.
 */
export async function readEventPeople(context: RequestContext, event: ShownEvent) {
  const { db, visitor, clock, secret, mailOrigin: origin } = contextOf(context)
  const isClosed = isRsvpClosed(event, timeInJapan(clock()))
  const parties = await readParties(db, [event])
  const { coming, waiting } = splitByCapacity(parties, event.capacity)
  const members = await activeMembers(db).select(['id', 'id as memberId', 'username', 'accountname']).execute()
  const guests = parties
    .filter(({ memberId }) => memberId === null)
    .map(({ id, memberId, name }) => ({ id, memberId, username: name, accountname: '' }))
  const people = [...members.sort(compareMembers), ...guests].map(({ id, memberId, username: name, accountname }) => {
    const party = parties.find((each) => each.id === id)
    const { version = 0, answer = null, companions = 0, came = null } = party ?? {}
    const note = mayManageMembers(visitor) && party ? party.note : ''
    const position = party ? waiting.indexOf(party) + 1 : 0
    const link = memberId === null || isClosed ? '' : answerUrl({ secret, origin }, memberId, event.id)
    return { id, memberId, name, accountname, version, answer, companions, came, link, waiting: position, note }
  })
  const withAnswer = (wanted: Rsvp | null) => people.filter(({ answer }) => answer === wanted)
  const groups = [
    { label: '参加', group: coming, capacity: event.capacity, emptyText: 'まだどなたもいません' },
    { label: 'キャンセル待ち（受付順）', group: waiting },
    { label: '未定', group: withAnswer('maybe') },
    { label: '不参加', group: withAnswer('no') },
    { label: '未回答', group: withAnswer(null), emptyText: '全員が回答済み' },
    { label: '来た方', group: people.filter(({ came }) => came) },
  ].map(({ group, ...label }) => ({ ...label, names: group.map(formatParty), seats: countSeats(group) }))
  return { people, groups }
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
