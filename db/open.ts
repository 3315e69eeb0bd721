import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  sql,
  type TransactionSettings,
} from 'kysely'
import { Migrator } from 'kysely/migration'
import type pg from 'pg'
import { isPostgres } from './engine.ts'
import * as content from './migrations/0001-content.ts'
import * as calendar from './migrations/0002-calendar.ts'
import * as accounts from './migrations/0003-accounts.ts'
import * as members from './migrations/0004-members.ts'
import * as calendarEditing from './migrations/0005-calendar-editing.ts'
import * as live from './migrations/0006-live.ts'
import * as mail from './migrations/0007-mail.ts'
import * as answers from './migrations/0008-answers.ts'
import * as pictures from './migrations/0009-pictures.ts'
import * as contentEditing from './migrations/0010-content-editing.ts'
import * as eventNotices from './migrations/0011-event-notices.ts'
import * as imports from './migrations/0012-imports.ts'
import * as attempts from './migrations/0013-attempts.ts'
import * as accountsWhole from './migrations/0014-accounts-whole.ts'
import * as identity from './migrations/0015-identity.ts'
import * as records from './migrations/0016-records.ts'
import type { Tables } from './tables.ts'

const migrations = {
  '0001-content': content,
  '0002-calendar': calendar,
  '0003-accounts': accounts,
  '0004-members': members,
  '0005-calendar-editing': calendarEditing,
  '0006-live': live,
  '0007-mail': mail,
  '0008-answers': answers,
  '0009-pictures': pictures,
  '0010-content-editing': contentEditing,
  '0011-event-notices': eventNotices,
  '0012-imports': imports,
  '0013-attempts': attempts,
  '0014-accounts-whole': accountsWhole,
  '0015-identity': identity,
  '0016-records': records,
}

/** Where a site's data is: a PostgreSQL where `url` is given, else the SQLite file. */
export type Place = { url?: string | undefined; file: string }

/** Called with a database that has data, before the first of its waiting migrations, named `next`, is run. */
type BeforeMigrating = (db: Kysely<Tables>, next: string) => Promise<void>

/**
 * The migrated database of a place, made if missing. Throws the driver's error, and what `beforeMigrating` throws: then
 * nothing was migrated.
 */
export async function openDatabase({ beforeMigrating, ...place }: Place & { beforeMigrating?: BeforeMigrating }) {
  const db = await connect(place)
  try {
    const applied = await appliedMigrations(db)
    const newer = applied.find((name) => !migrationNames.includes(name))
    if (newer) throw new Error(newerThanProgram(newer))
    const next = migrationNames[applied.length]
    if (applied.length > 0 && next) await beforeMigrating?.(db, next)
    await migrate(db)
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** The database of a place as it is, no migration run; an SQLite file is made, empty, where there is none. */
export async function connect({ url, file }: Place): Promise<Kysely<Tables>> {
  return url ? openPostgres(url) : openSqlite(file)
}

/** The names of all migrations that this program knows, in their order. */
export const migrationNames = Object.keys(migrations)

/** What is said of a database with a migration of that name, which this program does not know. */
export function newerThanProgram(name: string) {
  return `データベースが、このプログラムより新しい版のものです（${name}）。プログラムを新しくしてからお使いください。`
}

/** The names of the migrations that this database has been through, in their order; none where it is empty. */
export async function appliedMigrations(db: Kysely<Tables>) {
  const { rows } = isPostgres(db)
    ? await sql<{ found: string | null }>`select to_regclass('kysely_migration')::text as found`.execute(db)
    : await sql<{ found: string }>`select name as found from sqlite_master where name = 'kysely_migration'`.execute(db)
  if (!rows[0]?.found) return []
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return applied.rows.map(({ name }) => name).sort()
}

/** Runs the migrations that are waiting, up to and with the one named; within a transaction, in that one. */
export async function migrate(db: Kysely<Tables>, upTo?: string) {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await (upTo ? migrator.migrateTo(upTo) : migrator.migrateToLatest())
  if (error) throw error
}

function openSqlite(file: string) {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return onSqlite(new SQLite(file))
}

/** The database of an open SQLite, with all that this site asks of one. */
export function onSqlite(database: SQLite.Database) {
  const version = database.prepare('select sqlite_version()').pluck().get() as string
  if (!isAtLeast(version, '3.51.0')) throw new Error(`SQLite ${version} is too old: 3.51.0 or newer is needed`)
  database.pragma('journal_mode = WAL')
  // FULL, not NORMAL: what was answered with success survives a power cut.
  database.pragma('synchronous = FULL')
  database.pragma('busy_timeout = 5000')
  database.pragma('foreign_keys = ON')
  return new Kysely<Tables>({ dialect: new OneWriterDialect({ database: keepingStatements(database) }) })
}

const MOST_STATEMENTS = 300

// Compiled once: that takes longer than most statements run, and the memory of those thrown away comes back late.
function keepingStatements(database: SQLite.Database): SqliteDatabase {
  const kept = new Map<string, SQLite.Statement<unknown[]>>()
  return {
    prepare(text) {
      const statement = kept.get(text) ?? database.prepare(text)
      kept.delete(text)
      kept.set(text, statement)
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_STATEMENTS) break
        kept.delete(oldest)
      }
      return statement
    },
    close: () => void database.close(),
  }
}

class OneWriterDialect extends SqliteDialect {
  readonly #database: SqliteDatabase
  constructor({ database }: { database: SqliteDatabase }) {
    super({ database })
    this.#database = database
  }
  override createDriver() {
    return new OneWriterDriver({ database: this.#database })
  }
  override createAdapter() {
    return new WholeMigrationsAdapter()
  }
}

// SQLite takes back a changed table as it does a changed row: a migration that fails leaves nothing.
class WholeMigrationsAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

// A deferred transaction that reads first may fail when it comes to write; taking the write lock at once cannot. One that
// only reads needs no lock, and keeps nobody from writing.
class OneWriterDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings = {}) {
    await connection.executeQuery(CompiledQuery.raw(accessMode === 'read only' ? 'begin' : 'begin immediate'))
  }
}

async function openPostgres(connectionString: string) {
  const { Pool, types } = (await import('pg')).default
  // bigint (what count() returns) as number, as on SQLite
  const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format as 'text')
  const pool = new Pool({ connectionString, types: { getTypeParser } as pg.CustomTypesConfig })
  // An idle connection that breaks is replaced by the pool; unheard, its error would end the process.
  pool.on('error', () => {})
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

function isAtLeast(version: string, least: string) {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0
}
