import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Tables } from './tables.ts'

export function isPostgres<T>(db: Kysely<T>) {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Returns the same database, typed for tables known only by name. */
export function untypedTables(db: Kysely<Tables>) {
  return db as unknown as Kysely<Record<string, Record<string, unknown>>>
}

/** Holds an advisory lock for the transaction: later reads see the last holder's writes. SQLite has only one writer. */
export async function lock(trx: Kysely<Tables>, name: string) {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

/** Whether the error is a violated unique index or primary key, on either engine. */
export function isConflict(error: unknown) {
  const { code } = error as { code?: unknown }
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
