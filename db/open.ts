import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { isPostgres } from './engine.ts'
import * as migrations from './migrations.ts'
import { checkServing, openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Db } from './tables.ts'

export type Place = { url?: string | undefined; file: string }

type OpenOptions = {
  /** Runs before the first pending migration of a database with data. If the callback throws, no migration runs. */
  beforeMigrating?: (db: Db, next: string) => Promise<void>
  serving?: boolean
}

/**
 * Opens a database and runs the pending migrations. Creates a missing SQLite file. On PostgreSQL, `serving` sets
 * timeouts and rejects a read-only server or a transaction pooler.
 */
export async function openDatabase({ beforeMigrating, serving = false, ...place }: Place & OpenOptions) {
  if (serving && place.url) await checkServing(place.url)
  const db = await connect(place)
  try {
    const applied = await appliedMigrations(db)
    const newerMigration = applied.find((name) => !migrationNames.includes(name))
    if (newerMigration) throw new Error(newerThanProgram(newerMigration))
    const next = migrationNames[applied.length]
    if (applied.length > 0 && next) await beforeMigrating?.(db, next)
    await migrate(db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  if (!serving) return db
  // Migrations may take longer than the timeouts of a serving connection, so they run on a connection without timeouts.
  await db.destroy()
  return connect(place, { serving })
}

/** Connects without running migrations. Creates a missing SQLite file. On PostgreSQL, `serving` sets timeouts. */
export async function connect({ url, file }: Place, { serving = false } = {}): Promise<Db> {
  return url ? openPostgres(url, { serving }) : openSqlite(file)
}

export const migrationNames = Object.keys(migrations)

export function newerThanProgram(name: string) {
  return `データベースが、このプログラムより新しい版のものです（${name}）。プログラムを更新してからお使いください。`
}

export async function appliedMigrations(db: Db) {
  const { rows } = isPostgres(db)
    ? await sql<{ found: string | null }>`select to_regclass('kysely_migration')::text as found`.execute(db)
    : await sql<{ found: string }>`select name as found from sqlite_master where name = 'kysely_migration'`.execute(db)
  if (!rows[0]?.found) return []
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return applied.rows.map(({ name }) => name).sort()
}

/** Runs the pending migrations, up to and including `upTo` if given, within `db` if `db` is a transaction. */
export async function migrate(db: Db, upTo?: string) {
  const migrator = new Migrator({ db: db.withoutPlugins(), provider: { getMigrations: async () => migrations } })
  const { error } = await (upTo ? migrator.migrateTo(upTo) : migrator.migrateToLatest())
  if (error) throw error
}
