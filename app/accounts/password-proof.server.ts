import type { SelectQueryBuilder } from 'kysely'
import { isPostgres } from '../../db/engine.ts'
import type { Db, Tables, Trx } from '../../db/tables.ts'
import { verifyPassword } from './password-hash.server.ts'
import type { Session } from './sessions.server.ts'

/** Hash of the verified password, or null if the account has no password. */
export type PasswordProof = { hash: string | null }

/** Verifies a password. Returns null if the password is wrong. An account without a password always passes. */
export async function checkPassword(db: Db, accountId: string, password = ''): Promise<PasswordProof | null> {
  const hash = await passwordHashOf(db, accountId)
  return hash === null || (await verifyPassword({ password, hash })) ? { hash } : null
}

export async function passwordHashOf(
  db: Db,
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

/** Whether session and password are unchanged since `checkPassword`. Locks the account until the transaction ends. */
export async function isProofCurrent(trx: Trx, { id, accountId }: Session, { hash }: PasswordProof) {
  await lockAccount(trx, accountId)
  const session = await trx.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()
  return session !== undefined && (await passwordHashOf(trx, accountId)) === hash
}

/** Locks the account's sign-in data until the transaction ends. Does nothing on SQLite: its transactions are serial. */
export async function lockAccount(trx: Trx, accountId: string) {
  if (!isPostgres(trx)) return
  await trx.selectFrom('accounts').select('id').where('id', '=', accountId).forUpdate().execute()
}
