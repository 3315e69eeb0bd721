import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/**
 * Runs the work with the ID of a stand-in, an account that goes at the end. It gets the rows that no other account may
 * get, so that the database writes as much for a used address as for an unused one, and the time does not tell them apart.
 */
export async function withStandIn<T>(trx: Transaction<Tables>, now: number, work: (standIn: string) => Promise<T>) {
  const id = crypto.randomUUID()
  const at = new Date(now).toISOString()
  const unused = { name: '', email: `${id}@stand-in.invalid`, emailVerified: 0, image: null } as const
  await trx
    .insertInto('accounts')
    .values({ id, ...unused, createdAt: at, updatedAt: at })
    .execute()
  const done = await work(id)
  await trx.deleteFrom('accounts').where('id', '=', id).execute()
  return done
}
