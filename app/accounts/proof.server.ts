import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely'
import { isPostgres } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import type { Session } from './auth.server.ts'
import { verifyPassword } from './password-hash.server.ts'

/** The hash of the password that someone has proven to know; null where the account has none. */
export type Proof = { hash: string | null }

/** Whether this is the account's password, null where it is not; an account without one has nothing to prove. */
export async function provePassword(db: Kysely<Tables>, accountId: string, password = ''): Promise<Proof | null> {
  const hash = await passwordHashOf(db, accountId)
  return hash === null || (await verifyPassword({ password, hash })) ? { hash } : null
}

/** The hash of the account's password; null where it has none, or there is none. */
export async function passwordHashOf(
  db: Kysely<Tables>,
  accountId: string | SelectQueryBuilder<Tables, 'accounts', { id: string }>,
) {
  const method = await db
    .selectFrom('signInMethods')
    .select('password')
    .where('owner', '=', accountId)
    .where('provider', '=', 'credential')
    .executeTakeFirst()
  return method?.password ?? null
}

/**
 * Whether the session goes on and the password is still the one that was proven: proving takes a while, in which an owner
 * may have thrown out whoever does it. Neither changes before the end of this transaction.
 */
export async function stillHolds(trx: Transaction<Tables>, { id, accountId }: Session, { hash }: Proof) {
  await lockAccount(trx, accountId)
  const session = await trx.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()
  return session !== undefined && (await passwordHashOf(trx, accountId)) === hash
}

/** Has what else changes how the account is opened wait for the end of this transaction; on SQLite it does anyway. */
export async function lockAccount(trx: Transaction<Tables>, accountId: string) {
  if (!isPostgres(trx)) return
  await trx.selectFrom('accounts').select('id').where('id', '=', accountId).forUpdate().execute()
}
