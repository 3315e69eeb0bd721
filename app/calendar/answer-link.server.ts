import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { selectApprovedMembers } from '../members/member-mails.server.ts'
import { createMemberToken, readMemberToken } from '../members/member-tokens.server.ts'
import type { Day } from '../dates/month.ts'
import type { Visitor } from '../permissions.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import type { ShownEvent } from './event-format.ts'
import { readEvent } from './events.server.ts'
import { isRsvpClosed } from './rsvp.ts'

type Link = { memberId: string; eventId: string }

type OpenLink = {
  refusal: null
  event: ShownEvent
  username: string
  visitor: NonNullable<Visitor>
  accountId: string | null
}

/** Returns the URL of the page on which a member answers one event without signing in. */
export function answerUrl({ secret, origin }: { secret: string; origin: string }, { memberId, eventId }: Link) {
  return `${origin}/answer?token=${createMemberToken(secret, 'answer', { memberId, subject: eventId })}`
}

const INVALID = 'このリンクは使えません。アドレスの途中が切れていないか、ご確認ください。'
const NOT_A_MEMBER = '出欠の回答は、承認されたメンバーだけが行えます。お店へお問い合わせください。'
const CLOSED = 'この予定は終了したか、出欠の受付を終えました。'

/**
 * Returns the event and the member of an answer link. The member is returned as a visitor with no permission except that
 * of an approved member. If the link is not valid at present, returns the reason in Japanese and the HTTP status.
 */
export async function readAnswerLink(
  db: Kysely<Tables>,
  secret: string,
  token: string,
  today: Day,
): Promise<{ refusal: string; status: number } | OpenLink> {
  const grant = readMemberToken(secret, 'answer', token)
  const member =
    grant &&
    (await db
      .selectFrom('members')
      .select(['id', 'accountId', 'username'])
      .where('id', '=', grant.memberId)
      .executeTakeFirst())
  if (!grant || !member || !(await isCircleOn(db))) return { refusal: INVALID, status: 404 }
  if (!(await selectApprovedMembers(db).select('id').where('id', '=', member.id).executeTakeFirst()))
    return { refusal: NOT_A_MEMBER, status: 403 }
  const event = await readEvent(db, grant.subject)
  if (!event?.attendance || isRsvpClosed(event, today)) return { refusal: CLOSED, status: 410 }
  const { id, accountId, username } = member
  const visitor: NonNullable<Visitor> = {
    accountId: accountId ?? '',
    name: username,
    email: '',
    emailVerified: false,
    member: { id, admin: true, administrator: false },
    staff: null,
  }
  return { refusal: null, event, username, visitor, accountId }
}
