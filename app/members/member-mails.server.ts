import type { Kysely, Selectable } from 'kysely'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { ReadVerifiedEmails } from '../request.ts'
import type { MailKind } from './mail-kinds.ts'
import { createMemberToken } from './member-tokens.server.ts'

export type MailedMember = Pick<Selectable<MemberRow>, 'id' | 'accountId' | 'username'>
export type MemberMailDeps = { readVerifiedEmails: ReadVerifiedEmails; secret: string; origin: string }

/** A member with the e-mail address and the link that switches off this kind of e-mail. */
export type Recipient = { id: string; to: string; name: string; unsubscribeUrl: string }

/** Selects the members who take part in the circle: approved, or administrators. Excludes the bin. */
export function selectApprovedMembers(db: Kysely<Tables>) {
  return db
    .selectFrom('members')
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb('admin', '=', true), eb('administrator', '=', true)]))
}

/**
 * Splits the members into the recipients of a kind of e-mail, the members without a verified e-mail address, and the
 * members who have switched the kind off.
 */
export async function readRecipients(
  db: Kysely<Tables>,
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

/** Returns the kinds of e-mail that the member has switched off. */
export async function readMutedKinds(db: Kysely<Tables>, memberId: string) {
  const rows = await db.selectFrom('mutedMails').select('kind').where('memberId', '=', memberId).execute()
  return rows.map(({ kind }) => kind)
}

/** Switches the `muted` kinds of e-mail off for a member, and those of `received` on. Other kinds stay unchanged. */
export async function saveMutedKinds(
  db: Kysely<Tables>,
  memberId: string,
  { muted = [], received = [] }: { muted?: MailKind[]; received?: MailKind[] },
) {
  await inTransaction(db, async (trx) => {
    if (received.length > 0)
      await trx.deleteFrom('mutedMails').where('memberId', '=', memberId).where('kind', 'in', received).execute()
    if (muted.length > 0)
      await trx
        .insertInto('mutedMails')
        .values(muted.map((kind) => ({ memberId, kind })))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
  })
}
