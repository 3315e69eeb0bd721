import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { isPostgres } from './engine.ts'
import type { Db, Trx } from './tables.ts'
import { WAIT_OPTIONS } from './testing-wait-options.ts'
import { inTransaction } from './transaction.ts'

/** Resolves once `count` PostgreSQL connections wait for a lock. */
export async function untilWaiting(db: Db, count: number) {
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    expect(rows).toHaveLength(count)
  }, WAIT_OPTIONS)
}

/**
 * Starts `overtaking` while the transaction of `first` is open. Returns the result of `overtaking`. On PostgreSQL, the
 * transaction ends once `overtaking` has read and waits for its lock. On SQLite, `overtaking` waits without reading.
 */
export async function overtaken<T>(
  db: Db,
  first: (trx: Trx) => Promise<unknown>,
  overtaking: () => Promise<T>,
): Promise<T> {
  let result: Promise<T> | undefined
  await inTransaction(db, async (trx) => {
    await first(trx)
    result = overtaking()
    if (isPostgres(db)) await untilWaiting(db, 1)
  })
  return result as Promise<T>
}
