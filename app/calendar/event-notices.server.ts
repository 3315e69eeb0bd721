import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Logger } from 'pino'
import type { EventRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { dayInJapan, minuteInJapan } from '../dates/japan.ts'
import { addDays, type Day, formatDay } from '../dates/month.ts'
import {
  type EventNotice,
  eventCancelledMail,
  eventChangedMail,
  newEventMail,
  rsvpReminderMail,
} from '../mail/event-mails.ts'
import type { OutgoingMail } from '../mail/mailer.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import type { MailKind } from '../members/mail-kinds.ts'
import {
  type MailedMember,
  type MemberMailDeps,
  readRecipients,
  selectActiveMembers,
} from '../members/member-mails.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import { readVersion } from '../records/revisions.server.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSite } from '../settings/site.server.ts'
import { answerUrl } from './answer-link.server.ts'
import { formatEventTime } from './event-format.ts'
import { isRsvpClosed, rsvpDeadline } from './rsvp.ts'

const MINUTE_MS = 60_000
// The delay leaves time to undo or correct a change before members are notified.
const NOTICE_DELAY_MS = 5 * MINUTE_MS
const FIRST_REMINDER_MINUTE = 8 * 60

export type EventNoticeDependencies = MemberMailDeps & { db: Kysely<Tables>; clock: () => number }

type Event = Selectable<EventRow>

/** Starts the timer for notices. Returns a function that stops the timer and waits until the current run has ended. */
export function startEventNotices(deps: EventNoticeDependencies, log: Pick<Logger, 'error'>) {
  return repeat(() => sendEventNotices(deps), {
    every: MINUTE_MS,
    failed: (err) => log.error({ err }, 'event notices failed'),
  })
}

/**
 * Notifies all approved members of a new event, and members with an RSVP if a coming event is changed or cancelled, five
 * minutes after the last change. Combines several changes in one e-mail and omits undone changes. Reminds members
 * without an RSVP 48 hours before RSVPs close, from 8:00 in Japan.
 */
export async function sendEventNotices(deps: EventNoticeDependencies) {
  const now = deps.clock()
  const unchangedSince = new Date(now - NOTICE_DELAY_MS).toISOString()
  for (const { id } of await listChangedEvents(deps.db, unchangedSince)) {
    await inTransaction(deps.db, (trx) => enqueueChangeNotices(trx, id, unchangedSince, deps))
  }
  if (minuteInJapan(now) < FIRST_REMINDER_MINUTE || !(await isCircleOn(deps.db))) return
  for (const { id } of await listEventsToRemind(deps.db, dayInJapan(now))) {
    await inTransaction(deps.db, (trx) => enqueueReminders(trx, id, deps))
  }
}

function listChangedEvents(db: Kysely<Tables>, unchangedSince: string) {
  return db
    .selectFrom('events')
    .leftJoin('eventNotices', 'eventId', 'id')
    .select('id')
    .where((eb) => {
      const answers = eb.selectFrom('answers').select('memberId').whereRef('answers.eventId', '=', 'events.id')
      return eb.or([eb('attendance', '=', true), eb.exists(answers)])
    })
    .where('updatedAt', '<=', unchangedSince)
    .where((eb) => eb('version', '>', eb.fn.coalesce('toldVersion', eb.val(1))))
    .execute()
}

function listEventsToRemind(db: Kysely<Tables>, today: Day) {
  return db
    .selectFrom('events')
    .leftJoin('eventNotices', 'eventId', 'id')
    .select('id')
    .where('attendance', '=', true)
    .where('deletedAt', 'is', null)
    .where((eb) => {
      const lastDay = eb.case().when('deadline', '<', eb.ref('day')).then(eb.ref('deadline')).else(eb.ref('day')).end()
      // RSVPs close at midnight after the last day. The time 48 hours earlier is the start of the day before the last
      // day.
      return eb.and([
        eb(lastDay, '>=', today),
        eb(lastDay, '<=', addDays(today, 1)),
        eb.or([eb('reminded', 'is', null), eb('reminded', '!=', lastDay)]),
      ])
    })
    .execute()
}

async function enqueueChangeNotices(
  trx: Transaction<Tables>,
  id: string,
  unchangedSince: string,
  deps: EventNoticeDependencies,
) {
  const [event, notice] = await lockEvent(trx, id)
  if (event.updatedAt > unchangedSince || event.version <= notice.toldVersion) return
  await trx.updateTable('eventNotices').set({ toldVersion: event.version }).where('eventId', '=', id).execute()
  const today = dayInJapan(deps.clock())
  if (!(await wasEverUpcoming(trx, id, today))) return
  const isNew = notice.toldVersion === 0 && event.attendance && !event.deletedAt
  // The reminder announces an event whose RSVPs close earlier.
  if (isNew && rsvpDeadline(event) > addDays(today, 1) && (await isCircleOn(trx))) {
    const facts = [`${formatDay(event.day)} ${formatEventTime(event)}`.trim()]
    if (event.deadline) facts.push(`回答の締切：${formatDay(event.deadline)}`)
    const members = await selectActiveMembers(trx).execute()
    return enqueueMails(trx, 'event', event, members, deps, (notice) => newEventMail(notice, facts))
  }
  const version = Math.max(1, notice.toldVersion)
  const before = await readVersion<Event>(trx, { subject: 'event', subjectId: id, version })
  const members = await listMembers(trx, 'has answered', id)
  if (event.deletedAt) {
    // Members do not know about a move if no e-mail announced the move, so the cancellation e-mail names the former
    // day.
    const cancelled = before && { ...before, deletedAt: event.deletedAt }
    if (cancelled) await enqueueMails(trx, 'change', cancelled, members, deps, eventCancelledMail)
    return
  }
  const changes = describeChanges(before, event)
  if (changes.length === 0) return
  const createMail = (notice: EventNotice) => eventChangedMail(notice, changes, event.attendance)
  await enqueueMails(trx, 'change', event, members, deps, createMail)
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

async function enqueueReminders(trx: Transaction<Tables>, id: string, deps: EventNoticeDependencies) {
  const [event, { reminded }] = await lockEvent(trx, id)
  const lastDay = rsvpDeadline(event)
  if (event.deletedAt || reminded === lastDay) return
  await trx.updateTable('eventNotices').set({ reminded: lastDay }).where('eventId', '=', id).execute()
  const members = await listMembers(trx, 'has not answered', id)
  const createMail = (notice: EventNotice) => rsvpReminderMail(notice, formatDay(lastDay))
  await enqueueMails(trx, 'reminder', event, members, deps, createMail)
}

/** Enqueues an e-mail about an event for each member who has a verified address and receives this kind of e-mail. */
export async function enqueueMails(
  trx: Transaction<Tables>,
  kind: MailKind,
  event: Event,
  members: MailedMember[],
  deps: Omit<EventNoticeDependencies, 'db'>,
  createMail: (notice: EventNotice, member: { id: string }) => OutgoingMail,
) {
  const { name: shop } = await readSite(trx)
  const now = deps.clock()
  const { id: eventId, title, day, attendance, deletedAt } = event
  const isOpen = attendance && !deletedAt && !isRsvpClosed(event, dayInJapan(now))
  const pageUrl = `${deps.origin}/${!attendance || deletedAt ? `calendar?day=${day}` : 'memberlist'}`
  const { recipients } = await readRecipients(trx, kind, members, deps)
  for (const { id, ...addressee } of recipients) {
    const url = isOpen ? answerUrl(deps, id, eventId) : pageUrl
    const mail = createMail({ ...addressee, shop, title, day: formatDay(day), url }, { id })
    await enqueue(trx, mail, { at: new Date(now).toISOString() })
  }
}

function listMembers(trx: Transaction<Tables>, rsvpState: 'has answered' | 'has not answered', eventId: string) {
  return selectActiveMembers(trx)
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
  const lastDay = ({ deadline }: Event) => deadline && formatDay(deadline)
  const attendance = (event: Event) => (event.attendance ? 'とる' : 'とらない')
  return [
    before.day !== after.day && `日付：${formatDay(before.day)} → ${formatDay(after.day)}`,
    time(before) !== time(after) && `時間：${time(before)} → ${time(after)}`,
    before.title !== after.title && `タイトル：「${before.title}」→「${after.title}」`,
    before.content !== after.content && `内容：${after.content}`,
    attendance(before) !== attendance(after) && `出欠：${attendance(before)} → ${attendance(after)}`,
    after.attendance && lastDay(before) !== lastDay(after) && `回答の締切：${lastDay(after) ?? '当日'}`,
  ].filter((line) => line !== false)
}
