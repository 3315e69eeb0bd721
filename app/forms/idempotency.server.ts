import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { Rejection } from './outcome.ts'

const FROM_EARLIER_VERSION =
  'この内容は、サイトの更新前に受け付けたようです。ページを再読み込みして、現在の内容をご確認ください。'
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000

/** A form submission. `owner` is an account ID or a substitute ID for guests. `key` is the idempotency key. */
export type SubmissionKey = { owner: string; form: string; key: string; at: string }

/**
 * Runs `work` once per key. A repeated submission returns the first result, parsed from JSON. If `work` throws, the key
 * stays unused. If the key is empty, `work` always runs.
 */
export function runOnce<T>(
  db: Db,
  { owner, form, key: submittedKey, at }: SubmissionKey,
  work: (trx: Trx) => Promise<T>,
) {
  if (!submittedKey) return inTransaction(db, work)
  // Different forms may send the same key.
  const key = `${form} ${submittedKey}`
  return inTransaction(db, async (trx): Promise<T> => {
    const first = await trx
      .insertInto('onceKeys')
      .values({ owner, key, result: '', at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst()
    if (!first) {
      const { result } = await trx
        .selectFrom('onceKeys')
        .select('result')
        .where((row) => row.and({ owner, key }))
        .executeTakeFirstOrThrow()
      const stored: unknown = JSON.parse(result)
      if (!isResult<T>(stored)) throw new Rejection(FROM_EARLIER_VERSION)
      return stored.result
    }
    const result = await work(trx)
    await trx
      .updateTable('onceKeys')
      .set({ result: JSON.stringify({ result: result ?? null }) })
      .where((row) => row.and({ owner, key }))
      .execute()
    const expired = new Date(Date.parse(at) - RETENTION_MS).toISOString()
    await trx.deleteFrom('onceKeys').where('at', '<', expired).execute()
    return result
  })
}

// Earlier versions of the site stored results in other formats.
function isResult<T>(stored: unknown): stored is { result: T } {
  return typeof stored === 'object' && stored !== null && 'result' in stored
}
