import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Logger } from 'pino'
import type { AnswerRow, EventRow, MemberRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { dayInJapan, minuteInJapan } from '../dates/japan.ts'
import { addDays, type Day, formatDay } from '../dates/month.ts'
import { type EventNotice, eventCancelledMail, eventChangedMail, rsvpReminderMail } from '../mail/event-mails.ts'
import type { OutgoingMail } from '../mail/mailer.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import { readVersion } from '../records/revisions.server.ts'
import type { ReadVerifiedEmails } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSite } from '../settings/site.server.ts'
import { formatEventTime } from './event-words.ts'
import { rsvpDeadline, splitByCapacity } from './rsvp.ts'

const MINUTE = 60_000
// Leaves time to undo or correct a change before members are notified.
const SETTLES_IN = 5 * MINUTE
const WAKES_AT = 8 * 60

export type EventNotices = {
  db: Kysely<Tables>
  clock: () => number
  provenAddresses: ReadVerifiedEmails
  /** The origin of links in e-mails: `https://example.jp`. */
  origin: string
}

type Event = Selectable<EventRow>
type Person = Pick<Selectable<MemberRow>, 'id' | 'accountId' | 'username'>

/** Starts the notifications. Returns a function that stops the timer and waits for the run under way. */
export function startEventNotices(telling: EventNotices, log: Pick<Logger, 'error'>) {
  return repeat(() => sendEventNotices(telling), {
    every: MINUTE,
    failed: (err) => log.error({ err }, 'members not told of events'),
  })
}

/**
 * Notifies members with an RSVP of changes to a coming event or its cancellation, five minutes after the last change.
 * Several changes make one e-mail, an undone change none. Reminds members without an RSVP 48 hours before RSVPs close,
 * from 8:00 in Japan.
 */
export async function sendEventNotices(telling: EventNotices) {
  const now = telling.clock()
  const settled = new Date(now - SETTLES_IN).toISOString()
  for (const { id } of await changedEvents(telling.db, settled)) {
    await inTransaction(telling.db, (trx) => tellOfChange(trx, id, settled, telling))
  }
  if (minuteInJapan(now) < WAKES_AT || !(await isCircleOn(telling.db))) return
  for (const { id } of await eventsToRemindOf(telling.db, dayInJapan(now))) {
    await inTransaction(telling.db, (trx) => remind(trx, id, telling))
  }
}

function changedEvents(db: Kysely<Tables>, settled: string) {
  return db
    .selectFrom('events')
    .leftJoin('eventNotices', 'eventId', 'id')
    .select('id')
    .where((eb) => {
      const answers = eb.selectFrom('answers').select('memberId').whereRef('answers.eventId', '=', 'events.id')
      return eb.or([eb('attendance', '=', true), eb.exists(answers)])
    })
    .where('updatedAt', '<=', settled)
    .where((eb) => eb('version', '>', eb.fn.coalesce('toldVersion', eb.val(1))))
    .execute()
}

function eventsToRemindOf(db: Kysely<Tables>, today: Day) {
  return db
    .selectFrom('events')
    .leftJoin('eventNotices', 'eventId', 'id')
    .select('id')
    .where('attendance', '=', true)
    .where('deletedAt', 'is', null)
    .where((eb) => {
      const last = eb.case().when('deadline', '<', eb.ref('day')).then(eb.ref('deadline')).else(eb.ref('day')).end()
      // RSVPs close at midnight after the last day, so 48 hours earlier is the start of the day before.
      return eb.and([
        eb(last, '>=', today),
        eb(last, '<=', addDays(today, 1)),
        eb.or([eb('reminded', 'is', null), eb('reminded', '!=', last)]),
      ])
    })
    .execute()
}

async function tellOfChange(trx: Transaction<Tables>, id: string, settled: string, telling: EventNotices) {
  const [event, told] = await lockedEvent(trx, id)
  if (event.updatedAt > settled || event.version <= told.toldVersion) return
  await trx.updateTable('eventNotices').set({ toldVersion: event.version }).where('eventId', '=', id).execute()
  if (!(await wasAhead(trx, id, dayInJapan(telling.clock())))) return
  const before = await readVersion<Event>(trx, { subject: 'event', subjectId: id, version: told.toldVersion })
  const people = await membersWho(trx, 'has answered', id)
  if (event.deletedAt) {
    // Members know the day from before a move that was never mailed.
    if (before) await tell(trx, { ...before, deletedAt: event.deletedAt }, people, eventCancelledMail, telling)
    return
  }
  const changes = changesInWords(before, event)
  const answers = await trx.selectFrom('answers').selectAll().where('eventId', '=', id).execute()
  const members = new Set(people.map((person) => person.id))
  const given = answers.filter(({ memberId }) => members.has(memberId))
  const mailOf = (notice: EventNotice, { id: memberId }: Person) => {
    const own = [...changes, ...placeInWords(memberId, given, before ?? event, event)]
    return own.length > 0 ? eventChangedMail(notice, own, event.attendance) : null
  }
  await tell(trx, event, people, mailOf, telling)
}

/** Whether any revision of the event is dated today or later, so that a move to the past suppresses no notices. */
async function wasAhead(trx: Transaction<Tables>, id: string, today: Day) {
  const versions = await trx
    .selectFrom('revisions')
    .select('after')
    .where('subject', '=', 'event')
    .where('subjectId', '=', id)
    .execute()
  return versions.some(({ after }) => after !== null && (JSON.parse(after) as Event).day >= today)
}

function placeInWords(memberId: string, given: AnswerRow[], before: Event, after: Event) {
  if (!after.attendance) return []
  const waitingIn = ({ capacity }: Event) =>
    splitByCapacity(given, capacity).waiting.findIndex((answer) => answer.memberId === memberId) + 1
  const [was, is] = [waitingIn(before), waitingIn(after)]
  if (was === 0 && is > 0) return [`定員が変わり、キャンセル待ち（${is}番目）になりました。`]
  return was > 0 && is === 0 ? ['定員が変わり、キャンセル待ちから参加になりました。'] : []
}

async function remind(trx: Transaction<Tables>, id: string, telling: EventNotices) {
  const [event, { reminded }] = await lockedEvent(trx, id)
  const last = rsvpDeadline(event)
  if (event.deletedAt || reminded === last) return
  await trx.updateTable('eventNotices').set({ reminded: last }).where('eventId', '=', id).execute()
  const people = await membersWho(trx, 'has not answered', id)
  await tell(trx, event, people, (notice) => rsvpReminderMail(notice, formatDay(last)), telling)
}

async function tell(
  trx: Transaction<Tables>,
  event: Event,
  people: Person[],
  mailOf: (notice: EventNotice, person: Person) => OutgoingMail | null,
  { clock, provenAddresses, origin }: EventNotices,
) {
  const { name: shop } = await readSite(trx)
  const addresses = await provenAddresses(
    people.flatMap(({ accountId }) => accountId ?? []),
    trx,
  )
  const at = new Date(clock()).toISOString()
  const { title, day, attendance, deletedAt } = event
  const url = `${origin}/${!attendance || deletedAt ? `calendar?day=${day}` : 'memberlist'}`
  for (const person of people) {
    const to = person.accountId && addresses.get(person.accountId)
    if (!to) continue
    const mail = mailOf({ to, name: person.username, shop, title, day: formatDay(day), url }, person)
    if (mail) await enqueue(trx, mail, { at })
  }
}

function membersWho(trx: Transaction<Tables>, answered: 'has answered' | 'has not answered', eventId: string) {
  return trx
    .selectFrom('members')
    .select(['id', 'accountId', 'username'])
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb('admin', '=', true), eb('administrator', '=', true)]))
    .where('id', answered === 'has answered' ? 'in' : 'not in', (eb) =>
      eb.selectFrom('answers').select('memberId').where('eventId', '=', eventId),
    )
    .execute()
}

// The upsert locks the row: a second process waits here, then finds that all notices are sent.
async function lockedEvent(trx: Transaction<Tables>, id: string) {
  await trx
    .insertInto('eventNotices')
    .values({ eventId: id, toldVersion: 1, reminded: null })
    .onConflict((already) => already.column('eventId').doUpdateSet((row) => ({ eventId: row.ref('excluded.eventId') })))
    .execute()
  const told = await trx.selectFrom('eventNotices').selectAll().where('eventId', '=', id).executeTakeFirstOrThrow()
  const event = await trx.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return [event, told] as const
}

// `before` is null if that version was a deletion.
function changesInWords(before: Event | null, after: Event) {
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
