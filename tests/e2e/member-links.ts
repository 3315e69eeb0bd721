import { answerUrl } from '../../app/calendar/answer-link.server.ts'
import type { MailKind } from '../../app/members/mail-kinds.ts'
import { createMemberToken } from '../../app/members/member-tokens.server.ts'

/** The secret of the site in editing-site.ts. */
export const SECRET = 'secret of the browser tests'

export function answerLink(memberId: string, eventId: string) {
  return answerUrl({ secret: SECRET, origin: '' }, memberId, eventId)
}

export function unsubscribeLink(memberId: string, kind: MailKind) {
  return `/unsubscribe?token=${createMemberToken(SECRET, 'unsubscribe', { memberId, subject: kind })}`
}
