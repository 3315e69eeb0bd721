import type { Kysely, Transaction } from 'kysely'
import { lock } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { answerUrl } from '../calendar/answer-link.server.ts'
import { readEvent } from '../calendar/events.server.ts'
import { isRsvpClosed, splitByCapacity } from '../calendar/rsvp.ts'
import { dayInJapan } from '../dates/japan.ts'
import { Rejection } from '../forms/outcome.ts'
import { circleMessageMail } from '../mail/event-mails.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { type MemberMailDeps, readRecipients, selectApprovedMembers } from '../members/member-mails.server.ts'
import { countAttempt, tooManyAttempts } from '../platform/attempts.server.ts'
import type { Author } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { type CircleMessage, describeAudience } from './circle-message.ts'

/** Returns the event of a message and its recipients, and the members who will not receive the message. */
export async function readAudience(db: Kysely<Tables>, message: CircleMessage, deps: MemberMailDeps) {
  const event = message.event ? await readEvent(db, message.event) : null
  if (message.event && !event?.attendance) throw new Rejection('この予定は中止になったか、出欠の受付を終了しました。')
  const members = await listAudience(db, message, event?.capacity ?? null)
  return { event, ...(await readRecipients(db, 'message', members, deps)) }
}

async function listAudience(
  db: Kysely<Tables>,
  { audience, event, member: chosenIds }: CircleMessage,
  capacity: number | null,
) {
  const members = await selectApprovedMembers(db).select(['id', 'accountId', 'username']).execute()
  if (audience === 'all') return members
  if (audience === 'chosen') return members.filter(({ id }) => chosenIds.includes(id))
  const answers = await db
    .selectFrom('answers')
    .select(['memberId', 'answer', 'turn'])
    .where('eventId', '=', event)
    .where('memberId', 'in', selectApprovedMembers(db).select('id'))
    .execute()
  const isUnanswered = audience === 'unanswered'
  const ids = new Set((isUnanswered ? answers : splitByCapacity(answers, capacity).coming).map((each) => each.memberId))
  return members.filter(({ id }) => ids.has(id) !== isUnanswered)
}

/**
 * Enqueues the message for each recipient, in one transaction. Returns the number of recipients. A repeated `id` sends
 * nothing and returns the first number. Throws a `Rejection` if the message has no recipient or if the author has
 * reached the limit.
 */
export function sendCircleMessage(
  db: Kysely<Tables>,
  { id, ...message }: CircleMessage & { id: string },
  author: Author,
  deps: MemberMailDeps,
) {
  return inTransaction(db, async (trx) => {
    const first = await findMessage(trx, id)
    if (first) return first.recipients
    const { accountId, at } = author
    const now = Date.parse(at)
    const wait = await countAttempt(trx, 'circleMessage', { account: accountId, now })
    if (wait) throw new Rejection(tooManyAttempts(wait), 429)
    const { event, recipients } = await readAudience(trx, message, deps)
    if (recipients.length === 0) throw new Rejection('メールをお送りできる方がいません。')
    const { audience, subject, text } = message
    await trx
      .insertInto('circleMessages')
      .values({
        id,
        audience: describeAudience(audience, event),
        subject,
        text,
        recipients: recipients.length,
        accountId,
        createdAt: at,
      })
      .execute()
    const { name: shop } = await readSite(trx)
    for (const { id: memberId, ...addressee } of recipients) {
      const isOpen = event && !isRsvpClosed(event, dayInJapan(now))
      const url = isOpen ? answerUrl(deps, { memberId, eventId: event.id }) : null
      const mail = circleMessageMail({ ...addressee, shop }, { subject, text, url })
      await enqueue(trx, mail, { at, onceKey: `${id} ${memberId}` })
    }
    return recipients.length
  })
}

async function findMessage(trx: Transaction<Tables>, id: string) {
  // The lock makes a concurrent submission of the same message wait for the first one.
  await lock(trx, `circle message ${id}`)
  return trx.selectFrom('circleMessages').select('recipients').where('id', '=', id).executeTakeFirst()
}

const MAX_LISTED = 50

/** Lists the last messages to members, newest first. */
export function listCircleMessages(db: Kysely<Tables>) {
  return db
    .selectFrom('circleMessages')
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()
}
