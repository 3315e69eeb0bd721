import { type Kysely, PostgresAdapter } from 'kysely'

export function isPostgres<T>(db: Kysely<T>) {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
