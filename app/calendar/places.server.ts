import type { Selectable } from 'kysely'
import { lock } from '../../db/engine.ts'
import type { AnswerRow, EventRow, MemberRow, Trx } from '../../db/tables.ts'
import { dayInJapan, timeInJapan } from '../dates/japan.ts'
import { formatDay } from '../dates/month.ts'
import { fellBackMail, movedUpMail, withdrawalMail } from '../mail/event-mails.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { readOrganiserEmails } from '../members/member-notices.server.ts'
import { isActiveMember } from '../members/members.server.ts'
import { enqueueNotification } from '../push/notifications.server.ts'
import { listChanges, type RecordChange } from '../records/revisions.server.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSite } from '../settings/site.server.ts'
import { type EventNoticeDependencies, enqueueNotices, nameForLockScreen } from './event-notices.server.ts'
import { countSeats, eventPeoplePath, isRsvpClosed, splitByCapacity } from './rsvp.ts'
import { type Party, readParties } from './rsvps.server.ts'

const DAY_MS = 24 * 60 * 60 * 1000

type Dependencies = Omit<EventNoticeDependencies, 'db'>

/**
 * Notifies the members whose place in a coming event differs from the place that they know, because of the changes in
 * this transaction. Runs before the commit, so that a transaction sends at most one e-mail per member and event. Omits
 * the member who makes the change, because the page shows the new place. Also notifies the organisers of withdrawals
 * within 24 hours of the event.
 */
export async function updatePlaces(trx: Trx, deps: Dependencies) {
  const changes = listChanges(trx)
  const today = dayInJapan(deps.clock())
  const eventIds = await listAffectedEvents(trx, changes, today)
  if (eventIds.length === 0 || !(await isCircleOn(trx))) return
  // Every transaction locks events in this order, which prevents deadlocks.
  for (const id of eventIds) await lock(trx, `event ${id}`)
  const events = await trx
    .selectFrom('events')
    .selectAll()
    .where('id', 'in', eventIds)
    .where('attendance', '=', true)
    .where('deletedAt', 'is', null)
    .where('day', '>=', today)
    .orderBy('id')
    .execute()
  if (events.length === 0) return
  const allParties = await readParties(trx, events)
  for (const event of events) {
    const parties = allParties.filter(({ eventId }) => eventId === event.id)
    const { coming, waiting } = splitByCapacity(parties, event.capacity)
    await movePlaces(trx, event, { place: 'coming', parties: coming }, changes, deps)
    await movePlaces(trx, event, { place: 'waiting', parties: waiting }, changes, deps)
    await announceWithdrawals(trx, event, countSeats(coming), changes, deps)
  }
}

async function listAffectedEvents(trx: Trx, changes: RecordChange[], today: string) {
  const eventIds = changes.flatMap(({ subject, subjectId, before, after }) => {
    if (subject === 'event') return [subjectId]
    return subject === 'answer' || subject === 'guest' ? [((after ?? before) as { eventId: string }).eventId] : []
  })
  const memberIds = changes
    .filter(({ subject, before, after }) => subject === 'member' && isActive(before) !== isActive(after))
    .map(({ subjectId }) => subjectId)
  const answered = trx
    .selectFrom('answers')
    .innerJoin('events', 'events.id', 'eventId')
    .select('eventId')
    .where('memberId', 'in', memberIds)
    .where('answer', '=', 'yes')
    .where('day', '>=', today)
  if (memberIds.length > 0) for (const { eventId } of await answered.execute()) eventIds.push(eventId)
  return [...new Set(eventIds)].sort()
}

function isActive(row: object | null) {
  return row !== null && isActiveMember(row as MemberRow)
}

async function movePlaces(
  trx: Trx,
  event: Selectable<EventRow>,
  { place, parties }: { place: 'coming' | 'waiting'; parties: Party[] },
  changes: RecordChange[],
  deps: Dependencies,
) {
  const moved = parties.filter(({ memberId, toldPlace }) => memberId !== null && toldPlace !== place)
  if (moved.length === 0) return
  const movedIds = moved.map(({ id }) => id)
  const answers = trx.updateTable('answers').where('eventId', '=', event.id).where('memberId', 'in', movedIds)
  await answers.set({ toldPlace: place }).execute()
  // Without a known place, there is no move: the author of the RSVP has seen the place.
  const members = moved
    .filter((party) => party.toldPlace !== '' && !isAuthor(party, changes))
    .map(({ id, accountId, name }) => ({ id, accountId, username: name }))
  const isClosed = isRsvpClosed(event, timeInJapan(deps.clock()))
  const isComing = place === 'coming'
  await enqueueNotices(trx, 'place', event, members, deps, {
    title: isComing ? '空きが出て、参加になりました' : 'キャンセル待ちになりました',
    createMail: (notice, { id }) =>
      isComing
        ? movedUpMail(notice, !isClosed)
        : fellBackMail(notice, parties.findIndex((party) => party.id === id) + 1),
  })
}

function isAuthor({ memberId, accountId }: Party, changes: RecordChange[]) {
  return changes.some(({ subject, subjectId, before, after, accountId: author }) => {
    const changedId = subject === 'answer' ? ((after ?? before) as AnswerRow).memberId : subjectId
    return author !== null && author === accountId && changedId === memberId
  })
}

async function announceWithdrawals(
  trx: Trx,
  event: Selectable<EventRow>,
  seats: number,
  changes: RecordChange[],
  { clock, readVerifiedEmails, origin }: Dependencies,
) {
  const startsAt = Date.parse(`${event.day}T${event.startTime ?? '00:00'}+09:00`)
  if (clock() < startsAt - DAY_MS) return
  for (const { memberId, accountId } of await listWithdrawals(trx, event.id, changes)) {
    const members = trx.selectFrom('members').select('username').where('id', '=', memberId)
    const member = await members.executeTakeFirst()
    const at = new Date(clock()).toISOString()
    const path = eventPeoplePath(event.id)
    const title = '参加の取り消しがありました'
    const body = `${nameForLockScreen(event)}の参加は、${seats}名になりました。`
    const options = { path, urgent: true, except: accountId }
    await enqueueNotification(trx, { kind: 'withdrawal', title, body, ...options }, { at })
    const { name: shop } = await readSite(trx)
    for (const to of await readOrganiserEmails(trx, accountId, readVerifiedEmails)) {
      const notice = { to, shop, title: event.title, day: formatDay(event.day) }
      const withdrawal = { member: member ? `${member.username} さん` : '退会した方', seats }
      const mail = withdrawalMail({ ...notice, url: `${origin}${path}` }, withdrawal)
      await enqueue(trx, mail, { at })
    }
  }
}

/** Returns the members who have given up a place in the event, with the accounts of the authors. */
async function listWithdrawals(trx: Trx, eventId: string, changes: RecordChange[]) {
  const withdrawals: { memberId: string; accountId: string | null }[] = []
  for (const { subject, subjectId, before, after, accountId } of changes) {
    if (subject === 'answer') {
      const [rsvp, newRsvp] = [before, after] as [AnswerRow | null, AnswerRow | null]
      if (rsvp?.eventId !== eventId || !hasPlace(rsvp) || newRsvp?.answer === 'yes') continue
      // An inactive member has given up the place before.
      if (await wasActive(trx, rsvp.memberId, changes)) withdrawals.push({ memberId: rsvp.memberId, accountId })
    }
    if (subject === 'member' && isActive(before) && !isActive(after)) {
      const answers = trx.selectFrom('answers').selectAll().where('eventId', '=', eventId)
      const rsvp = await answers.where('memberId', '=', subjectId).executeTakeFirst()
      if (rsvp && hasPlace(rsvp)) withdrawals.push({ memberId: subjectId, accountId })
    }
  }
  return withdrawals
}

function hasPlace({ answer, toldPlace }: AnswerRow) {
  return answer === 'yes' && toldPlace !== 'waiting'
}

async function wasActive(trx: Trx, memberId: string, changes: RecordChange[]) {
  const change = changes.find(({ subject, subjectId }) => subject === 'member' && subjectId === memberId)
  if (change) return isActive(change.before)
  const member = await trx.selectFrom('members').selectAll().where('id', '=', memberId).executeTakeFirst()
  return isActive(member ?? null)
}
