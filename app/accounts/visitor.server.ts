import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Visitor } from '../permissions.ts'
import type { Auth } from './auth.server.ts'

/** Who asks: the account that is signed in and, where there is one, its member of the circle. */
export async function visitorOf(db: Kysely<Tables>, auth: Auth): Promise<Visitor> {
  const session = await auth.session()
  if (!session) return null
  const { accountId, name, email, emailVerified } = session
  const member = await db
    .selectFrom('members')
    .select(['id', 'administrator', 'admin'])
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return {
    accountId,
    name,
    email,
    emailVerified,
    member: member ? { id: member.id, administrator: member.administrator === 1, admin: member.admin === 1 } : null,
  }
}
