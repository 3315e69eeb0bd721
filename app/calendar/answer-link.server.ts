import { timeInJapan } from '../dates/japan.ts'
import { selectActiveMembers } from '../members/member-mails.server.ts'
import { createMemberToken, readMemberToken } from '../members/member-tokens.server.ts'
import type { Visitor } from '../permissions.ts'
import type { Dependencies } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readEventForMembers } from './events.server.ts'
import { isRsvpClosed } from './rsvp.ts'

type LinkDeps = { secret: string; origin: string }

/** Returns the URL of the page on which a member answers one event without signing in. */
export function answerUrl({ secret, origin }: LinkDeps, memberId: string, eventId: string) {
  return `${origin}/answer?token=${createMemberToken(secret, 'answer', { memberId, subject: eventId })}`
}

/**
 * Returns the event of an answer link, and its member as a visitor with only the permissions of an approved member.
 * Returns the status 404 if the link is forged, or 410 if the member or the event no longer accepts RSVPs.
 */
export async function readAnswerLink({ db, clock, secret }: Dependencies, token: string) {
  const grant = readMemberToken(secret, 'answer', token)
  if (!grant) return 404
  const member = await selectActiveMembers(db).where('id', '=', grant.memberId).executeTakeFirst()
  const event = await readEventForMembers(db, grant.subject)
  if (!member || !event?.attendance || isRsvpClosed(event, timeInJapan(clock())) || !(await isCircleOn(db))) return 410
  const { id, accountId, username } = member
  const account = { accountId: accountId ?? '', name: username, email: '', emailVerified: false }
  const visitor: NonNullable<Visitor> = { ...account, member: { id, admin: true, administrator: false }, staff: null }
  return { event, visitor, accountId }
}
