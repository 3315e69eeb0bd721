import { type Kysely, PostgresAdapter } from 'kysely'

/** Whether several processes may work on this database, each with locks of its own; SQLite has one writer. */
export function isPostgres<T>(db: Kysely<T>) {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
