import type { Kysely } from 'kysely'
import pg from 'pg'
import { afterAll, describe } from 'vitest'
import { openDatabase } from './open.ts'
import type { Tables } from './tables.ts'

export const engines = ['SQLite', 'PostgreSQL'] as const
export type Engine = (typeof engines)[number]

/** Runs the same tests on both engines; each `fresh()` is a new migrated database, gone after the tests. */
export function onEachEngine(tests: (fresh: () => Promise<Kysely<Tables>>, engine: Engine) => void) {
  describe.each(engines)('on %s', (engine) => {
    const opened: Kysely<Tables>[] = []
    const fresh = async () => {
      const db = await freshDatabase(engine)
      opened.push(db)
      return db
    }
    afterAll(async () => {
      for (const db of opened) await db.destroy()
    })
    tests(fresh, engine)
  })
}

async function freshDatabase(engine: Engine) {
  return engine === 'SQLite'
    ? openDatabase({ file: ':memory:' })
    : openDatabase({ url: await freshPostgresUrl(), file: '' })
}

/** The address of a new, empty PostgreSQL database; two processes may open it. */
export async function freshPostgresUrl() {
  const server = process.env.TEST_POSTGRES
  if (!server) throw new Error('No PostgreSQL was started for the tests')
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return `${server}/${name}`
}
