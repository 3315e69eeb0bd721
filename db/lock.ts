import { type Kysely, sql } from 'kysely'
import { isPostgres } from './engine.ts'
import type { Tables } from './tables.ts'

/**
 * Waits until no other transaction holds this name, and holds it to the end of this one, whether or not a row of that name
 * exists: what is read after it is what the last one wrote. SQLite's one writer has waited already.
 */
export async function lock(trx: Kysely<Tables>, name: string) {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}
