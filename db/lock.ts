import { type Kysely, sql } from 'kysely'
import { isPostgres } from './engine.ts'
import type { Tables } from './tables.ts'

/** Holds an advisory lock for the transaction: later reads see the last holder's writes. SQLite has only one writer. */
export async function lock(trx: Kysely<Tables>, name: string) {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}
