import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { isPlainAddress } from '../email-address.ts'
import type { SiteFacts } from '../site/site.ts'

/**
 * The addresses to which a message to a recipient goes: whom the site names for it or for the shop, else its administrators
 * who have proven theirs, else the owner whom the settings name.
 */
export async function readersOf(
  db: Kysely<Tables>,
  recipient: keyof SiteFacts['recipients'],
  { recipients, ownerEmail }: Pick<SiteFacts, 'recipients'> & { ownerEmail: string | undefined },
): Promise<string[]> {
  const named = recipients[recipient] || recipients.shop
  if (named) return [named]
  const administrators = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.accountId')
    .select('accounts.email')
    .where('members.administrator', '=', 1)
    .where('members.deletedAt', 'is', null)
    .where('accounts.emailVerified', '=', 1)
    .orderBy('members.createdAt')
    .orderBy('members.id')
    .execute()
  const proven = administrators.map(({ email }) => email).filter(isPlainAddress)
  return proven.length > 0 ? proven : ownerEmail ? [ownerEmail] : []
}
