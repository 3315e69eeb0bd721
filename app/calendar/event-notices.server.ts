import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Logger } from 'pino'
import type { AnswerRow, EventRow, MemberRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { dayInJapan, minuteInJapan, timeInJapan } from '../dates/japan.ts'
import { type Day, formatDay } from '../dates/month.ts'
import { type EventNotice, eventCancelledMail, eventChangedMail, rsvpReminderMail } from '../mail/event-mails.ts'
import type { OutgoingMail } from '../mail/mailer.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import { readVersion } from '../records/revisions.server.ts'
import type { ReadVerifiedEmails } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSite } from '../settings/site.server.ts'
import { formatDeadline, formatEventTime } from './event-format.ts'
import { rsvpDeadline, splitByCapacity } from './rsvp.ts'

const MINUTE_MS = 60_000
const REMINDER_MS = 48 * 60 * MINUTE_MS
// The delay leaves time to undo or correct a change before members are notified.
const NOTICE_DELAY_MS = 5 * MINUTE_MS
const FIRST_REMINDER_MINUTE = 8 * 60

export type EventNoticeDependencies = {
  db: Kysely<Tables>
  clock: () => number
  readVerifiedEmails: ReadVerifiedEmails
  origin: string
}

type Event = Selectable<EventRow>
type Member = Pick<Selectable<MemberRow>, 'id' | 'accountId' | 'username'>

/** Starts the timer for notices. Returns a function that stops the timer and waits until the current run has ended. */
export function startEventNotices(deps: EventNoticeDependencies, log: Pick<Logger, 'error'>) {
  return repeat(() => sendEventNotices(deps), {
    every: MINUTE_MS,
    failed: (err) => log.error({ err }, 'event notices failed'),
  })
}

/**
 * Notifies members with an RSVP if a coming event is changed or cancelled, five minutes after the last change. Combines
 * several changes in one e-mail and omits undone changes. Reminds members without an RSVP 48 hours before RSVPs close,
 * from 8:00 in Japan.
 */
export async function sendEventNotices(deps: EventNoticeDependencies) {
  const now = deps.clock()
  const unchangedSince = new Date(now - NOTICE_DELAY_MS).toISOString()
  const changed = await listChangedEvents(deps.db, unchangedSince)
  for (const [, events] of Map.groupBy(changed, ({ id, seriesId }) => seriesId ?? id)) {
    await inTransaction(deps.db, async (trx) => {
      const notices: ChangeNotice[] = []
      for (const { id } of events) notices.push(...(await listChangeNotices(trx, id, unchangedSince, deps)))
      await enqueueChangeNotices(trx, notices, deps)
    })
  }
  if (minuteInJapan(now) < FIRST_REMINDER_MINUTE || !(await isCircleOn(deps.db))) return
  for (const { id } of await listEventsToRemind(deps.db, now)) {
    await inTransaction(deps.db, (trx) => enqueueReminders(trx, id, deps))
  }
}

function listChangedEvents(db: Kysely<Tables>, unchangedSince: string) {
  return db
    .selectFrom('events')
    .leftJoin('eventNotices', 'eventId', 'id')
    .select(['id', 'seriesId'])
    .where((eb) => {
      const answers = eb.selectFrom('answers').select('memberId').whereRef('answers.eventId', '=', 'events.id')
      return eb.or([eb('attendance', '=', true), eb.exists(answers)])
    })
    .where('updatedAt', '<=', unchangedSince)
    .where((eb) => eb('version', '>', eb.fn.coalesce('toldVersion', eb.val(1))))
    .orderBy('day')
    .orderBy('id')
    .execute()
}

function listEventsToRemind(db: Kysely<Tables>, now: number) {
  return db
    .selectFrom('events')
    .leftJoin('eventNotices', 'eventId', 'id')
    .select('id')
    .where('attendance', '=', true)
    .where('deletedAt', 'is', null)
    .where((eb) => {
      const lastDay = eb.case().when('deadline', '<', eb.ref('day')).then(eb.ref('deadline')).else(eb.ref('day')).end()
      // A deadline without a time is midnight after the last day.
      const closing = sql<string>`${lastDay} || 'T' || coalesce(${eb.ref('deadlineTime')}, '24:00')`
      return eb.and([
        eb(closing, '>', timeInJapan(now)),
        eb(closing, '<=', timeInJapan(now + REMINDER_MS)),
        eb.or([eb('reminded', 'is', null), eb('reminded', '!=', lastDay)]),
      ])
    })
    .execute()
}

/** A notice of one event for one member. `changes` is null if the event is cancelled. */
type ChangeNotice = { event: Event; member: Member; changes: string[] | null }

async function listChangeNotices(
  trx: Transaction<Tables>,
  id: string,
  unchangedSince: string,
  { clock }: EventNoticeDependencies,
): Promise<ChangeNotice[]> {
  const [event, notice] = await lockEvent(trx, id)
  if (event.updatedAt > unchangedSince || event.version <= notice.toldVersion) return []
  await trx.updateTable('eventNotices').set({ toldVersion: event.version }).where('eventId', '=', id).execute()
  if (!(await wasEverUpcoming(trx, id, dayInJapan(clock())))) return []
  const before = await readVersion<Event>(trx, { subject: 'event', subjectId: id, version: notice.toldVersion })
  const members = await listMembers(trx, 'has answered', id)
  if (event.deletedAt) {
    if (!before) return []
    // Members do not know about a move if no e-mail announced the move, so the cancellation e-mail names the former
    // day.
    const cancelled = { ...before, deletedAt: event.deletedAt }
    return members.map((member) => ({ event: cancelled, member, changes: null }))
  }
  const eventChanges = describeChanges(before, event)
  const answers = await trx.selectFrom('answers').selectAll().where('eventId', '=', id).execute()
  const memberIds = new Set(members.map((member) => member.id))
  const rsvps = answers.filter(({ memberId }) => memberIds.has(memberId))
  return members.flatMap((member) => {
    const changes = [...eventChanges, ...describeQueueChange(member.id, rsvps, before ?? event, event)]
    return changes.length > 0 ? [{ event, member, changes }] : []
  })
}

/** Enqueues one e-mail about the changed events and one about the cancelled events for each member. */
async function enqueueChangeNotices(trx: Transaction<Tables>, notices: ChangeNotice[], deps: EventNoticeDependencies) {
  for (const [, own] of Map.groupBy(notices, ({ member, changes }) => `${member.id} ${changes === null}`)) {
    const [first] = own
    if (!first) continue
    // Events with the same changes share a paragraph. If all have the same changes, the first sentence names their days.
    const paragraphs = Map.groupBy(own, ({ changes }) => changes?.join('\n') ?? '')
    const createMail = (notice: EventNotice) => {
      const all = { ...notice, day: formatDays(own) }
      if (first.changes === null) return eventCancelledMail(all)
      const changes = [...paragraphs].map(([text, events]) =>
        paragraphs.size > 1 ? `${formatDays(events)}\n${text}` : text,
      )
      return eventChangedMail(all, [changes.join('\n\n')], first.event.attendance)
    }
    await enqueueMails(trx, first.event, [first.member], createMail, deps)
  }
}

function formatDays(notices: ChangeNotice[]) {
  return notices.map(({ event }) => formatDay(event.day)).join('、')
}

/**
 * Whether the day of the event is today or later in any revision. If so, a move to the past does not suppress the
 * notices.
 */
async function wasEverUpcoming(trx: Transaction<Tables>, id: string, today: Day) {
  const versions = await trx
    .selectFrom('revisions')
    .select('after')
    .where('subject', '=', 'event')
    .where('subjectId', '=', id)
    .execute()
  return versions.some(({ after }) => after !== null && (JSON.parse(after) as Event).day >= today)
}

function describeQueueChange(memberId: string, rsvps: AnswerRow[], before: Event, after: Event) {
  if (!after.attendance) return []
  const waitlistPosition = ({ capacity }: Event) =>
    splitByCapacity(rsvps, capacity).waiting.findIndex((answer) => answer.memberId === memberId) + 1
  const [positionBefore, positionAfter] = [waitlistPosition(before), waitlistPosition(after)]
  if (positionBefore === 0 && positionAfter > 0)
    return [`定員が変わり、キャンセル待ち（${positionAfter}番目）になりました。`]
  return positionBefore > 0 && positionAfter === 0 ? ['定員が変わり、キャンセル待ちから参加になりました。'] : []
}

async function enqueueReminders(trx: Transaction<Tables>, id: string, deps: EventNoticeDependencies) {
  const [event, { reminded }] = await lockEvent(trx, id)
  const lastDay = rsvpDeadline(event)
  if (event.deletedAt || reminded === lastDay) return
  await trx.updateTable('eventNotices').set({ reminded: lastDay }).where('eventId', '=', id).execute()
  const members = await listMembers(trx, 'has not answered', id)
  await enqueueMails(
    trx,
    event,
    members,
    (notice) => rsvpReminderMail(notice, formatDeadline({ ...event, deadline: lastDay })),
    deps,
  )
}

async function enqueueMails(
  trx: Transaction<Tables>,
  event: Event,
  members: Member[],
  createMail: (notice: EventNotice, member: Member) => OutgoingMail | null,
  { clock, readVerifiedEmails, origin }: EventNoticeDependencies,
) {
  const { name: shopName } = await readSite(trx)
  const emails = await readVerifiedEmails(
    members.flatMap(({ accountId }) => accountId ?? []),
    trx,
  )
  const at = new Date(clock()).toISOString()
  const { title, day, attendance, deletedAt } = event
  const url = `${origin}/${!attendance || deletedAt ? `calendar?day=${day}` : 'memberlist'}`
  for (const member of members) {
    const to = member.accountId && emails.get(member.accountId)
    if (!to) continue
    const mail = createMail({ to, name: member.username, shop: shopName, title, day: formatDay(day), url }, member)
    if (mail) await enqueue(trx, mail, { at })
  }
}

function listMembers(trx: Transaction<Tables>, rsvpState: 'has answered' | 'has not answered', eventId: string) {
  return trx
    .selectFrom('members')
    .select(['id', 'accountId', 'username'])
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb('admin', '=', true), eb('administrator', '=', true)]))
    .where('id', rsvpState === 'has answered' ? 'in' : 'not in', (eb) =>
      eb.selectFrom('answers').select('memberId').where('eventId', '=', eventId),
    )
    .execute()
}

// Locks the row by the upsert. A second process waits for the lock and then finds that all notices are sent.
async function lockEvent(trx: Transaction<Tables>, id: string) {
  await trx
    .insertInto('eventNotices')
    .values({ eventId: id, toldVersion: 1, reminded: null })
    .onConflict((conflict) =>
      conflict.column('eventId').doUpdateSet((row) => ({ eventId: row.ref('excluded.eventId') })),
    )
    .execute()
  const notice = await trx.selectFrom('eventNotices').selectAll().where('eventId', '=', id).executeTakeFirstOrThrow()
  const event = await trx.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return [event, notice] as const
}

// `before` is null if members were last notified of a deletion.
function describeChanges(before: Event | null, after: Event) {
  if (!before) return ['中止をお知らせしましたが、開催することになりました。']
  const time = (event: Event) => formatEventTime(event) || '終日'
  const attendance = (event: Event) => (event.attendance ? 'とる' : 'とらない')
  return [
    before.day !== after.day && `日付：${formatDay(before.day)} → ${formatDay(after.day)}`,
    time(before) !== time(after) && `時間：${time(before)} → ${time(after)}`,
    before.title !== after.title && `タイトル：「${before.title}」→「${after.title}」`,
    before.content !== after.content && `内容：${after.content}`,
    attendance(before) !== attendance(after) && `出欠：${attendance(before)} → ${attendance(after)}`,
    after.attendance &&
      formatDeadline(before) !== formatDeadline(after) &&
      `回答の締切：${formatDeadline(after) || '当日'}`,
  ].filter((line) => line !== false)
}
