import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import type { Kysely } from 'kysely'
import PQueue from 'p-queue'
import pg from 'pg'
import { describe, onTestFinished } from 'vitest'
import { connect, migrate, openDatabase } from './open.ts'
import { onSqlite } from './sqlite.ts'
import type { Tables } from './tables.ts'

const allEngines = ['SQLite', 'PostgreSQL'] as const
export type Engine = (typeof allEngines)[number]

/** The databases of the tests. Mutation testing sets TEST_ENGINES, because a second database doubles its time. */
export const engines = allEngines.filter((engine) => (process.env.TEST_ENGINES ?? allEngines.join()).includes(engine))

export function onEachEngine(tests: (fresh: () => Promise<Kysely<Tables>>, engine: Engine) => void) {
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
  const folder = mkdtempSync(join(tmpdir(), 'noren-'))
  const file = join(folder, 'site.db')
  writeFileSync(file, migrated.sqlite)
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

export async function freshPostgresUrl() {
  migrated.postgres ??= migratedPostgres()
  return newPostgres(await migrated.postgres)
}

export function emptyPostgresUrl() {
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

function nameIn(url: string) {
  return url.slice(url.lastIndexOf('/') + 1)
}
