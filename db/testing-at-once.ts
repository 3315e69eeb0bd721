import { type Kysely, sql, type Transaction } from 'kysely'
import { vi } from 'vitest'
import type { Tables } from './tables.ts'
import { inTransaction } from './transaction.ts'

/**
 * On PostgreSQL, has `late` read before `first` is committed and write after it: what `first` writes is held back until
 * `late` waits for it. (On SQLite nobody reads while another writes.) Gives what `late` gives.
 */
export async function overtaken<T>(
  db: Kysely<Tables>,
  first: (trx: Transaction<Tables>) => Promise<unknown>,
  late: () => Promise<T>,
): Promise<T> {
  let gives: Promise<T> | undefined
  await inTransaction(db, async (trx) => {
    await first(trx)
    gives = late()
    const waits = async () => {
      const { rows } = await sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      if (rows.length === 0) throw new Error('It does not wait')
    }
    await vi.waitFor(waits, { timeout: 10_000 })
  })
  return gives as Promise<T>
}
