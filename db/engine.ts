import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Db } from './tables.ts'

export function isPostgres<T>(db: Kysely<T>) {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

export function untypedTables(db: Db) {
  return db as unknown as Kysely<Record<string, Record<string, unknown>>>
}

/**
 * Locks `name` until the transaction ends, so that later reads include the writes of the previous lock holder. SQLite
 * needs no lock, because it has only one writer.
 */
export async function lock(trx: Db, name: string) {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

export function isConflict(error: unknown) {
  const { code } = error as { code?: unknown }
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
