import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/**
 * Runs the work with the ID of a temporary account, which receives the rows that no real account may get. The timing
 * then does not reveal whether an e-mail is used.
 */
export async function withTemporaryAccount<T>(
  trx: Transaction<Tables>,
  now: number,
  work: (standIn: string) => Promise<T>,
) {
  const id = crypto.randomUUID()
  const at = new Date(now).toISOString()
  const unused = { name: '', email: `${id}@stand-in.invalid`, emailVerified: false, image: null } as const
  await trx
    .insertInto('accounts')
    .values({ id, ...unused, createdAt: at, updatedAt: at })
    .execute()
  const done = await work(id)
  await trx.deleteFrom('accounts').where('id', '=', id).execute()
  return done
}
