import { type Selectable, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db, EventRow, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { dayInJapan, minuteInJapan, timeInJapan } from '../dates/japan.ts'
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
import { enqueueNotification } from '../push/notifications.server.ts'
import type { PushKind } from '../push/push-kinds.ts'
import { lastRevision, readVersion, revisionsOf } from '../records/revisions.server.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSite } from '../settings/site.server.ts'
import { answerUrl } from './answer-link.server.ts'
import { formatDeadline, formatEventTime } from './event-format.ts'
import { isRsvpClosed, rsvpDeadline } from './rsvp.ts'
import { formatRecurrence } from './series.ts'

const MINUTE_MS = 60_000
const REMINDER_MS = 48 * 60 * MINUTE_MS
// The delay leaves time to undo or correct a change before members are notified.
const NOTICE_DELAY_MS = 5 * MINUTE_MS
const FIRST_REMINDER_MINUTE = 8 * 60

export type EventNoticeDependencies = MemberMailDeps & { db: Db; clock: () => number }

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
  const changed = await listChangedEvents(deps.db, unchangedSince)
  for (const [, events] of Map.groupBy(changed, ({ id, seriesId }) => seriesId ?? id)) {
    await inTransaction(deps.db, async (trx) => {
      const notices: ChangeNotice[] = []
      for (const { id } of events) notices.push(...(await listChangeNotices(trx, id, unchangedSince, dayInJapan(now))))
      await enqueueChangeNotices(trx, notices, deps)
    })
  }
  if (minuteInJapan(now) < FIRST_REMINDER_MINUTE || !(await isCircleOn(deps.db))) return
  for (const { id } of await listEventsToRemind(deps.db, now)) {
    await inTransaction(deps.db, (trx) => enqueueReminders(trx, id, deps))
  }
}

function listChangedEvents(db: Db, unchangedSince: string) {
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

function listEventsToRemind(db: Db, now: number) {
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

/** A notice of one event for one member. `lines` are the facts of a new event, or the changes of an event. */
type ChangeNotice = { kind: 'new' | 'changed' | 'cancelled'; event: Event; member: MailedMember; lines: string[] }

async function listChangeNotices(trx: Trx, id: string, unchangedSince: string, today: Day): Promise<ChangeNotice[]> {
  const [event, notice] = await lockEvent(trx, id)
  if (event.updatedAt > unchangedSince || event.version <= notice.toldVersion) return []
  await trx.updateTable('eventNotices').set({ toldVersion: event.version }).where('eventId', '=', id).execute()
  if (!(await wasEverUpcoming(trx, id, today))) return []
  const isNew = notice.toldVersion === 0 && event.attendance && !event.deletedAt
  // The reminder announces an event whose RSVPs close earlier.
  if (isNew && rsvpDeadline(event) > addDays(today, 1) && (await isCircleOn(trx))) {
    const lines = [`${formatDay(event.day)} ${formatEventTime(event)}`.trim()]
    if (event.deadline) lines.push(`回答の締切：${formatDeadline(event)}`)
    const members = await selectActiveMembers(trx).execute()
    return members.map((member) => ({ kind: 'new', event, member, lines }))
  }
  const version = Math.max(1, notice.toldVersion)
  const before = await readVersion<Event>(trx, { subject: 'event', subjectId: id, version })
  const members = await listMembers(trx, 'has answered', id)
  if (event.deletedAt) {
    // Members do not know about a move if no e-mail announced the move, so the cancellation e-mail names the former
    // day.
    const cancelled = before && { ...before, deletedAt: event.deletedAt }
    return cancelled ? members.map((member) => ({ kind: 'cancelled', event: cancelled, member, lines: [] })) : []
  }
  const lines = describeChanges(before, event)
  return lines.length > 0 ? members.map((member) => ({ kind: 'changed', event, member, lines })) : []
}

const noticeTitles = {
  new: '新しい予定のご案内です',
  changed: '予定が変わりました',
  cancelled: '予定が中止になりました',
} as const

/** Enqueues one notice of each kind for each member, about all events of the notices. */
async function enqueueChangeNotices(trx: Trx, notices: ChangeNotice[], deps: EventNoticeDependencies) {
  const noticesByMember = Map.groupBy(notices, ({ kind, member }) => `${kind} ${member.id}`).values()
  const alike = Map.groupBy(noticesByMember, (own) => own.map(({ kind, event }) => `${kind} ${event.id}`).join())
  for (const [, groups] of alike) {
    const own = groups[0] ?? []
    const [first] = own
    if (!first) continue
    const { kind, event } = first
    const members = groups.flatMap(([notice]) => notice?.member ?? [])
    const createMail = (notice: EventNotice) => {
      const all = own.length > 1 && kind !== 'cancelled' ? { ...notice, url: `${deps.origin}/memberlist` } : notice
      if (kind === 'new') return newEventMail(all, describeNewEvents(own), own.length === 1)
      const withDays = { ...all, day: formatDays(own) }
      return kind === 'cancelled'
        ? eventCancelledMail(withDays)
        : eventChangedMail(
            withDays,
            describeAllChanges(own),
            own.some(({ event }) => takesRsvps(event, deps.clock())),
          )
    }
    const except = (await lastRevision(trx, 'event', event.id))?.accountId ?? null
    const content = { title: noticeTitles[kind], except, createMail }
    await enqueueNotices(trx, kind === 'new' ? 'event' : 'change', event, members, deps, content)
  }
}

function describeNewEvents([first, ...others]: ChangeNotice[]) {
  if (!first) return []
  const { recurrence, day } = first.event
  const last = others.at(-1)?.event.day
  return [
    ...first.lines,
    ...(recurrence && last
      ? [`${formatRecurrence(recurrence, day)}、${formatDay(last)}まで${others.length + 1}回`]
      : []),
  ]
}

// Events with the same changes share a paragraph. If all have the same changes, another sentence names their days.
function describeAllChanges(notices: ChangeNotice[]) {
  const paragraphs = [...Map.groupBy(notices, ({ lines }) => lines.join('\n'))]
  if (paragraphs.length === 1) return paragraphs.map(([text]) => text)
  return [paragraphs.map(([text, events]) => `${formatDays(events)}\n${text}`).join('\n\n')]
}

function formatDays(notices: ChangeNotice[]) {
  return notices.map(({ event }) => formatDay(event.day)).join('、')
}

/**
 * Whether the day of the event is today or later in any revision. If so, a move to the past does not suppress the
 * notices.
 */
async function wasEverUpcoming(trx: Trx, id: string, today: Day) {
  const versions = await revisionsOf(trx, 'event', id).select('after').execute()
  return versions.some(({ after }) => after !== null && (JSON.parse(after) as Event).day >= today)
}

async function enqueueReminders(trx: Trx, id: string, deps: EventNoticeDependencies) {
  const [event, { reminded }] = await lockEvent(trx, id)
  const lastDay = rsvpDeadline(event)
  if (event.deletedAt || reminded === lastDay) return
  await trx.updateTable('eventNotices').set({ reminded: lastDay }).where('eventId', '=', id).execute()
  const members = await listMembers(trx, 'has not answered', id)
  const createMail = (notice: EventNotice) => rsvpReminderMail(notice, formatDeadline({ ...event, deadline: lastDay }))
  const title = '出欠の回答をお願いいたします'
  await enqueueNotices(trx, 'reminder', event, members, deps, { title, createMail })
}

/** `title` is the title of the push notification. `except` is the account of the author, who is not notified. */
type NoticeContent = {
  title: string
  except?: string | null
  createMail: (notice: EventNotice, member: { id: string }) => OutgoingMail
}

/**
 * Enqueues an e-mail about an event for each member who has a verified address and receives this kind of e-mail, and a
 * push notification for the devices of all these members.
 */
export async function enqueueNotices(
  trx: Trx,
  kind: Extract<MailKind, PushKind>,
  event: Event,
  members: MailedMember[],
  deps: Omit<EventNoticeDependencies, 'db'>,
  { title: pushTitle, except = null, createMail }: NoticeContent,
) {
  const { name: shop } = await readSite(trx)
  const now = deps.clock()
  const { id: eventId, title, day, attendance, deletedAt } = event
  const isOpen = takesRsvps(event, now)
  const path = !attendance || deletedAt ? `/calendar?day=${day}` : '/memberlist'
  const at = new Date(now).toISOString()
  const accountIds = members.map(({ accountId }) => accountId)
  const body = nameForLockScreen(event)
  await enqueueNotification(trx, { kind, title: pushTitle, body, path, accountIds, except }, { at })
  const { recipients } = await readRecipients(trx, kind, members, deps)
  for (const { id, ...addressee } of recipients) {
    const url = isOpen ? answerUrl(deps, id, eventId) : `${deps.origin}${path}`
    const mail = createMail({ ...addressee, shop, title, day: formatDay(day), url }, { id })
    await enqueue(trx, mail, { at })
  }
}

function takesRsvps(event: Event, now: number) {
  return event.attendance && !event.deletedAt && !isRsvpClosed(event, timeInJapan(now))
}

/** Returns the day and the title of an event. A lock screen must not show the title of an event for members only. */
export function nameForLockScreen({ day, title, membersOnly }: Pick<Event, 'day' | 'title' | 'membersOnly'>) {
  return membersOnly ? `${formatDay(day)}の予定` : `${formatDay(day)}「${title}」`
}

function listMembers(trx: Trx, rsvpState: 'has answered' | 'has not answered', eventId: string) {
  return selectActiveMembers(trx)
    .where('id', rsvpState === 'has answered' ? 'in' : 'not in', (eb) =>
      eb.selectFrom('answers').select('memberId').where('eventId', '=', eventId),
    )
    .execute()
}

// Locks the row by the upsert. A second process waits for the lock and then finds that all notices are sent.
async function lockEvent(trx: Trx, id: string) {
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
