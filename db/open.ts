import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, Kysely, PostgresDialect, SqliteDialect, SqliteDriver } from 'kysely'
import { Migrator } from 'kysely/migration'
import type pg from 'pg'
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
}

/** A migrated database: PostgreSQL where `url` is given, else the SQLite file, made if missing. Throws the driver's error. */
export async function openDatabase({ url, file }: { url?: string | undefined; file: string }): Promise<Kysely<Tables>> {
  const db = url ? await openPostgres(url) : openSqlite(file)
  try {
    await migrateToLatest(db)
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

function openSqlite(file: string) {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  const database = new SQLite(file)
  const version = database.prepare('select sqlite_version()').pluck().get() as string
  if (!isAtLeast(version, '3.51.0')) throw new Error(`SQLite ${version} is too old: 3.51.0 or newer is needed`)
  database.pragma('journal_mode = WAL')
  // FULL, not NORMAL: what was answered with success survives a power cut.
  database.pragma('synchronous = FULL')
  database.pragma('busy_timeout = 5000')
  database.pragma('foreign_keys = ON')
  return new Kysely<Tables>({ dialect: new OneWriterDialect({ database }) })
}

class OneWriterDialect extends SqliteDialect {
  readonly #database: SQLite.Database
  constructor({ database }: { database: SQLite.Database }) {
    super({ database })
    this.#database = database
  }
  override createDriver() {
    return new OneWriterDriver({ database: this.#database })
  }
}

// A deferred transaction that reads first may fail when it comes to write; taking the write lock at once cannot.
class OneWriterDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
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

async function migrateToLatest(db: Kysely<Tables>) {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

function isAtLeast(version: string, least: string) {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0
}
