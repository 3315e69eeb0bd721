import type { Db } from '../../db/tables.ts'
import { isPlainEmail } from '../forms/email-address.ts'
import { listAdministrators } from '../settings/roles.server.ts'
import type { SiteSettings } from '../settings/site.ts'

/**
 * Returns the recipient's e-mail address in the settings, else the verified addresses of administrators, else
 * `ownerEmail`.
 */
export async function recipientEmails(
  db: Db,
  recipient: keyof SiteSettings['recipients'],
  { recipients, ownerEmail }: Pick<SiteSettings, 'recipients'> & { ownerEmail: string | undefined },
): Promise<string[]> {
  const configured = recipients[recipient] || recipients.shop
  if (configured) return [configured]
  const administratorIds = await listAdministrators(db)
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where('id', 'in', ['', ...administratorIds])
    .where('emailVerified', '=', true)
    .execute()
  const emails = new Map(rows.map(({ id, email }) => [id, email]))
  const verified = administratorIds.flatMap((id) => emails.get(id) ?? []).filter(isPlainEmail)
  return verified.length > 0 ? verified : ownerEmail ? [ownerEmail] : []
}
