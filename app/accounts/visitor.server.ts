import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Visitor } from '../permissions.ts'
import { rolesOf } from '../settings/roles.server.ts'
import type { Auth } from './auth.server.ts'

export async function visitorOf(db: Kysely<Tables>, auth: Auth): Promise<Visitor> {
  const session = await auth.session()
  if (!session) return null
  const { accountId, name, email, emailVerified } = session
  return { accountId, name, email, emailVerified, ...(await rolesOf(db, accountId)) }
}
