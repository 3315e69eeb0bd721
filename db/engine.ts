import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Tables } from './tables.ts'

export function isPostgres<T>(db: Kysely<T>) {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

export function untypedTables(db: Kysely<Tables>) {
  return db as unknown as Kysely<Record<string, Record<string, unknown>>>
}

/** Locks until the transaction ends: later reads see the last holder's writes. SQLite has only one writer. */
export async function lock(trx: Kysely<Tables>, name: string) {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

export function isConflict(error: unknown) {
  const { code } = error as { code?: unknown }
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
