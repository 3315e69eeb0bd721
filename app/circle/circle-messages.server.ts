import type { Db, Trx } from '../../db/tables.ts'
import { answerUrl } from '../calendar/answer-link.server.ts'
import { readEventForMembers } from '../calendar/events.server.ts'
import { splitByCapacity } from '../calendar/rsvp.ts'
import { readParties } from '../calendar/rsvps.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { circleMessageMail } from '../mail/event-mails.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { type MemberMailDeps, readRecipients, selectActiveMembers } from '../members/member-mails.server.ts'
import { countAttempt, tooManyAttempts } from '../platform/attempts.server.ts'
import type { Author } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { type CircleMessage, describeAudience, hasRsvpLink } from './circle-message.ts'

/** Returns the event of a message, its recipients, and the members who will not receive it. */
export async function readAudience(db: Db, message: CircleMessage, deps: MemberMailDeps) {
  const event = message.event ? await readEventForMembers(db, message.event) : null
  if (message.event && !event?.attendance) throw new Rejection('この予定は中止になったか、出欠の受付を終了しました。')
  const members = await selectActiveMembers(db).execute()
  const parties = event ? await readParties(db, [event]) : []
  const { coming } = splitByCapacity(parties, event?.capacity ?? null)
  const includes: Record<CircleMessage['audience'], (id: string) => boolean> = {
    all: () => true,
    coming: (id) => coming.some(({ memberId }) => memberId === id),
    unanswered: (id) => !parties.some(({ memberId }) => memberId === id),
    chosen: (id) => message.member.includes(id),
  }
  const audience = members.filter(({ id }) => includes[message.audience](id))
  return { event, ...(await readRecipients(db, 'message', audience, deps)) }
}

/**
 * Enqueues the message for each recipient. Returns the number of recipients. Throws a `Rejection` if the message has no
 * recipient or if the author has reached the limit.
 */
export async function sendCircleMessage(
  trx: Trx,
  message: CircleMessage,
  { accountId, at: createdAt }: Author,
  deps: MemberMailDeps,
) {
  const now = Date.parse(createdAt)
  const wait = await countAttempt(trx, 'circleMessage', { account: accountId, now })
  if (wait) throw new Rejection(tooManyAttempts(wait), 429)
  const { event, recipients } = await readAudience(trx, message, deps)
  if (recipients.length === 0) throw new Rejection('メールをお送りできる方がいません。')
  const { subject, text } = message
  const audience = describeAudience(message.audience, event)
  const row = { id: crypto.randomUUID(), audience, subject, text, recipients: recipients.length, accountId, createdAt }
  await trx.insertInto('circleMessages').values(row).execute()
  const { name: shop } = await readSite(trx)
  for (const { id: memberId, ...addressee } of recipients) {
    const url = event && hasRsvpLink(event, now) ? answerUrl(deps, memberId, event.id) : null
    const mail = circleMessageMail({ ...addressee, shop }, { subject, text, url })
    await enqueue(trx, mail, { at: createdAt })
  }
  return recipients.length
}
