import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import PQueue from 'p-queue'
import pg from 'pg'
import { describe, onTestFinished, TestRunner } from 'vitest'
import { connect, migrate, openDatabase } from './open.ts'
import { onSqlite } from './sqlite.ts'
import type { Db } from './tables.ts'

export type Engine = 'SQLite' | 'PostgreSQL'
const isSqliteOnly = process.env.TEST_POSTGRES === 'none'
/** The engines of this run. `npm run check` and `npm run mutants` test on SQLite only. */
export const engines: readonly Engine[] = isSqliteOnly ? ['SQLite'] : ['SQLite', 'PostgreSQL']

/**
 * Runs the tests on each engine. `test.runIf` limits a test of input or HTML to SQLite if its statements also run in a
 * test on each engine.
 */
export function onEachEngine(tests: (fresh: () => Promise<Db>, engine: Engine) => void) {
  describe.each(engines)('on %s', (engine) => {
    tests(engine === 'SQLite' ? freshSqlite : freshPostgres, engine)
  })
}

const migrated = {
  sqlite: undefined as Buffer | undefined,
  postgres: undefined as Promise<string> | undefined,
}

export async function freshSqlite() {
  migrated.sqlite ??= await migratedSqlite()
  return openSqlite(migrated.sqlite)
}

/** Copies an SQLite database. Returns a function that opens one more copy for a test. */
export async function copySqlite(db: Db) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-'))
  const file = join(folder, 'site.db')
  await sql`vacuum into ${file}`.execute(db)
  const bytes = readFileSync(file)
  rmSync(folder, { recursive: true })
  return () => openSqlite(bytes)
}

async function openSqlite(bytes: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-'))
  const file = join(folder, 'site.db')
  writeFileSync(file, bytes)
  const db = await connect({ file })
  onTestFinished(async () => {
    await db.destroy()
    rmSync(folder, { recursive: true })
  })
  return db
}

async function freshPostgres() {
  const url = await freshPostgresUrl()
  const db = await connect({ url, file: '' })
  onTestFinished(async () => {
    await db.destroy()
    await dropLater(nameIn(url))
  })
  return db
}

/** Returns the URL of a new, migrated database. Skips the test if the run has no PostgreSQL server. */
export async function freshPostgresUrl() {
  skipWithoutPostgres()
  migrated.postgres ??= migratedPostgres()
  return newPostgres(await migrated.postgres)
}

/** Returns the URL of a new, empty database. Skips the test if the run has no PostgreSQL server. */
export async function emptyPostgresUrl() {
  skipWithoutPostgres()
  return newPostgres('template0')
}

async function migratedSqlite() {
  const database = new SQLite(':memory:')
  const db = onSqlite(database)
  await migrate(db)
  const bytes = database.serialize()
  await db.destroy()
  return bytes
}

async function migratedPostgres() {
  const url = await emptyPostgresUrl()
  await (await openDatabase({ url, file: '' })).destroy()
  return nameIn(url)
}

async function newPostgres(template: string) {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await onServer(`create database ${name} template ${template} strategy file_copy`)
  return `${process.env.TEST_POSTGRES}/${name}`
}

// When a database is dropped, PostgreSQL waits up to 100 ms for the end of its connections. Tests do not wait for the
// drop.
const drops = new PQueue({ concurrency: 2 })

async function dropLater(name: string) {
  await drops.onSizeLessThan(10)
  drops.add(() => onServer(`drop database ${name} with (force)`)).catch(() => {})
}

// The pool stays open, because a new connection takes as long as a copy of a database.
let toServer: pg.Pool | undefined

export async function onServer(statement: string) {
  const server = process.env.TEST_POSTGRES
  if (!server) throw new Error('No PostgreSQL was started for the tests')
  toServer ??= new pg.Pool({ connectionString: `${server}/postgres`, max: 3, allowExitOnIdle: true }).on(
    'error',
    () => {},
  )
  await toServer.query(statement)
}

function skipWithoutPostgres() {
  if (isSqliteOnly) TestRunner.getCurrentTest()?.context.skip('needs PostgreSQL')
}

function nameIn(url: string) {
  return url.slice(url.lastIndexOf('/') + 1)
}
