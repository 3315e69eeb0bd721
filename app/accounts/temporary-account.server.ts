import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/**
 * Runs `work` with a temporary account, which owns the rows for unknown or used addresses. So the timing does not
 * reveal whether an address is used.
 */
export async function withTemporaryAccount<T>(
  trx: Transaction<Tables>,
  now: number,
  work: (temporaryId: string) => Promise<T>,
) {
  const id = crypto.randomUUID()
  const timestamp = new Date(now).toISOString()
  const columns = { name: '', email: `${id}@stand-in.invalid`, emailVerified: false, image: null } as const
  await trx
    .insertInto('accounts')
    .values({ id, ...columns, createdAt: timestamp, updatedAt: timestamp })
    .execute()
  const result = await work(id)
  await trx.deleteFrom('accounts').where('id', '=', id).execute()
  return result
}
