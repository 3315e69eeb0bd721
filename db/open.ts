import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
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
import * as backupCopies from './migrations/0017-backup-copies.ts'
import * as pages from './migrations/0018-pages.ts'
import * as staffOnly from './migrations/0019-staff-only.ts'
import * as messagesRead from './migrations/0020-messages-read.ts'
import * as staff from './migrations/0021-staff.ts'
import * as messagesDone from './migrations/0022-messages-done.ts'
import * as editButtons from './migrations/0023-edit-buttons.ts'
import * as messagesHeld from './migrations/0024-messages-held.ts'
import * as specialDayWords from './migrations/0026-special-day-words.ts'
import * as allergensConfirmed from './migrations/0027-allergens-confirmed.ts'
import * as accountsRemoved from './migrations/0028-accounts-removed.ts'
import * as portraitSlides from './migrations/0029-portrait-slides.ts'
import * as searchTextsFolded from './migrations/0030-search-texts-folded.ts'
import { checkServing, openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
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
  '0017-backup-copies': backupCopies,
  '0018-pages': pages,
  '0019-staff-only': staffOnly,
  '0020-messages-read': messagesRead,
  '0021-staff': staff,
  '0022-messages-done': messagesDone,
  '0023-edit-buttons': editButtons,
  '0024-messages-held': messagesHeld,
  '0026-special-day-words': specialDayWords,
  '0027-allergens-confirmed': allergensConfirmed,
  '0028-accounts-removed': accountsRemoved,
  '0029-portrait-slides': portraitSlides,
  '0030-search-texts-folded': searchTextsFolded,
}

export type Place = { url?: string | undefined; file: string }

/** Called before the first pending migration, `next`, of a database with data. If it throws, nothing is migrated. */
type BeforeMigrating = (db: Kysely<Tables>, next: string) => Promise<void>

type Opening = { beforeMigrating?: BeforeMigrating; serving?: boolean }

/** Opens a database, created if missing, and migrates it. `serving` sets timeouts and runs `checkServing`. */
export async function openDatabase({ beforeMigrating, serving = false, ...place }: Place & Opening) {
  if (serving && place.url) await checkServing(place.url)
  const db = await connect(place)
  try {
    const applied = await appliedMigrations(db)
    const newer = applied.find((name) => !migrationNames.includes(name))
    if (newer) throw new Error(newerThanProgram(newer))
    const next = migrationNames[applied.length]
    if (applied.length > 0 && next) await beforeMigrating?.(db, next)
    await migrate(db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  if (!serving) return db
  // Migrations have no timeout, so they run before the serving connection is opened.
  await db.destroy()
  return connect(place, { serving })
}

/** Connects without running migrations. Creates an SQLite file if missing; `serving` sets timeouts on PostgreSQL. */
export async function connect({ url, file }: Place, { serving = false } = {}): Promise<Kysely<Tables>> {
  return url ? openPostgres(url, { serving }) : openSqlite(file)
}

export const migrationNames = Object.keys(migrations)

export function newerThanProgram(name: string) {
  return `データベースが、このプログラムより新しい版のものです（${name}）。プログラムを新しくしてからお使いください。`
}

export async function appliedMigrations(db: Kysely<Tables>) {
  const { rows } = isPostgres(db)
    ? await sql<{ found: string | null }>`select to_regclass('kysely_migration')::text as found`.execute(db)
    : await sql<{ found: string }>`select name as found from sqlite_master where name = 'kysely_migration'`.execute(db)
  if (!rows[0]?.found) return []
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return applied.rows.map(({ name }) => name).sort()
}

/** Runs pending migrations, up to and including `upTo`. They join the transaction if `db` is one. */
export async function migrate(db: Kysely<Tables>, upTo?: string) {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await (upTo ? migrator.migrateTo(upTo) : migrator.migrateToLatest())
  if (error) throw error
}
