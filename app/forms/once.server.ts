import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'

const KEPT_FOR_MS = 7 * 24 * 60 * 60 * 1000

/** What was sent: by whom (an account, or what stands for a guest), with which form, which key of its own, when. */
export type Sending = { owner: string; form: string; key: string; at: string }

/**
 * Does the work of a form once, however often the form arrives: a repeat gets the first result, as JSON keeps it.
 * Work that throws leaves the key free; a form without a key is simply done.
 */
export function once<T>(
  db: Kysely<Tables>,
  { owner, form, key: own, at }: Sending,
  work: (trx: Transaction<Tables>) => Promise<T>,
) {
  if (!own) return inTransaction(db, work)
  // Another form with the same key has another result.
  const key = `${form} ${own}`
  return inTransaction(db, async (trx): Promise<T> => {
    const first = await trx
      .insertInto('onceKeys')
      .values({ owner, key, result: '', at })
      .onConflict((already) => already.doNothing())
      .returning('key')
      .executeTakeFirst()
    if (!first) {
      const { result } = await trx
        .selectFrom('onceKeys')
        .select('result')
        .where((row) => row.and({ owner, key }))
        .executeTakeFirstOrThrow()
      return JSON.parse(result)
    }
    const result = await work(trx)
    await trx
      .updateTable('onceKeys')
      .set({ result: JSON.stringify(result ?? null) })
      .where((row) => row.and({ owner, key }))
      .execute()
    const expired = new Date(Date.parse(at) - KEPT_FOR_MS).toISOString()
    await trx.deleteFrom('onceKeys').where('at', '<', expired).execute()
    return result
  })
}
