import type { Selectable } from 'kysely'
import type { Db, MemberRow } from '../../db/tables.ts'
import type { ReadVerifiedEmails } from '../request.ts'
import { type MailKind, mailKindNames } from './mail-kinds.ts'
import { createMemberToken } from './member-tokens.server.ts'
import { activeMembers } from './members.server.ts'

export type MailedMember = Pick<Selectable<MemberRow>, 'id' | 'accountId' | 'username'>
export type MemberMailDeps = { readVerifiedEmails: ReadVerifiedEmails; secret: string; origin: string }

/** A member with the e-mail address and the link that switches off this kind of e-mail. */
export type Recipient = { id: string; to: string; name: string; unsubscribeUrl: string }

export function selectActiveMembers(db: Db) {
  return activeMembers(db).select(['id', 'accountId', 'username'])
}

/**
 * Splits the members into the recipients of a kind of e-mail, the members without a verified e-mail address, and the
 * members who have switched the kind off.
 */
export async function readRecipients(
  db: Db,
  kind: MailKind,
  members: readonly MailedMember[],
  { readVerifiedEmails, secret, origin }: MemberMailDeps,
) {
  const emails = await readVerifiedEmails(
    members.flatMap(({ accountId }) => accountId ?? []),
    db,
  )
  const rows = await db.selectFrom('mutedMails').select('memberId').where('kind', '=', kind).execute()
  const mutedIds = new Set(rows.map(({ memberId }) => memberId))
  const recipients: Recipient[] = []
  const [unverified, muted]: [MailedMember[], MailedMember[]] = [[], []]
  for (const member of members) {
    const { id, accountId, username: name } = member
    const to = accountId && emails.get(accountId)
    const token = createMemberToken(secret, 'unsubscribe', { memberId: id, subject: kind })
    if (!to) unverified.push(member)
    else if (mutedIds.has(id)) muted.push(member)
    else recipients.push({ id, to, name, unsubscribeUrl: `${origin}/unsubscribe?token=${token}` })
  }
  return { recipients, unverified, muted }
}

/** Returns `on` for each kind of e-mail that the member receives, and an empty text for each other kind. */
export async function readReceivedMails(db: Db, memberId: string): Promise<Record<string, string>> {
  const rows = await db.selectFrom('mutedMails').select('kind').where('memberId', '=', memberId).execute()
  return Object.fromEntries(mailKindNames.map((name) => [name, rows.some(({ kind }) => kind === name) ? '' : 'on']))
}

/** Sets whether the member receives a kind of e-mail. */
export async function receiveMails(db: Db, memberId: string, kind: MailKind, receives: boolean) {
  const row = { memberId, kind }
  if (receives) await db.deleteFrom('mutedMails').where('memberId', '=', memberId).where('kind', '=', kind).execute()
  else
    await db
      .insertInto('mutedMails')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}
