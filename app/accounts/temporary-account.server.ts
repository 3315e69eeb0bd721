import type { Trx } from '../../db/tables.ts'

/**
 * Runs `work` with a temporary account. If the e-mail address is unknown or already used, the rows are written for this
 * account, so that the timing does not reveal the case.
 */
export async function withTemporaryAccount<T>(trx: Trx, now: number, work: (temporaryId: string) => Promise<T>) {
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
