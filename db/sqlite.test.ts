import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { failureOf } from './failure.ts'
import { openDatabase } from './open.ts'
import { onSnapshot } from './rows.ts'
import { onSqlite } from './sqlite.ts'
import { inTransaction } from './transaction.ts'

const mark = (name: string) => ({ name, at: '2026-11-20T00:00:00Z' })

async function opened() {
  const file = join(mkdtempSync(join(tmpdir(), 'noren-')), 'site.db')
  const db = await openDatabase({ file })
  const other = new SQLite(file)
  onTestFinished(async () => {
    other.close()
    await db.destroy()
  })
  const marks = async () => (await db.selectFrom('marks').select('name').orderBy('name').execute()).map((m) => m.name)
  return { db, other, marks }
}

test('while another process writes, reading goes on, and a write is done as soon as that one has ended', async () => {
  const { db, other, marks } = await opened()
  other.exec('begin immediate')
  const saving = inTransaction(db, (trx) => trx.insertInto('marks').values(mark('whole')).execute())
  const alone = db.insertInto('marks').values(mark('alone')).execute()
  for (let read = 0; read < 3; read += 1) {
    const began = performance.now()
    expect(await marks()).toEqual([])
    // The wait of a write keeps nobody from being answered.
    expect(performance.now() - began).toBeLessThan(1000)
    await new Promise((later) => setTimeout(later, 20))
  }
  other.exec('commit')
  await Promise.all([saving, alone])
  expect(await marks()).toEqual(['alone', 'whole'])
})

test('a write that another process keeps waiting for five seconds is given up, with those behind it', async () => {
  const { db, other, marks } = await opened()
  other.exec('begin immediate')
  const began = performance.now()
  const saves = ['first', 'second', 'third'].map((name) =>
    inTransaction(db, (trx) => trx.insertInto('marks').values(mark(name)).execute()).then(() => 'done', failureOf),
  )
  expect(await Promise.all(saves)).toEqual(['busy', 'busy', 'busy'])
  expect(performance.now() - began).toBeGreaterThan(4500)
  expect(performance.now() - began).toBeLessThan(9000)
  other.exec('rollback')
  await db.insertInto('marks').values(mark('later')).execute()
  expect(await marks()).toEqual(['later'])
})

test('while a transaction is open here, others read what was before it', async () => {
  const { db, marks } = await opened()
  await inTransaction(db, async (trx) => {
    await trx.insertInto('marks').values(mark('new')).execute()
    expect(await marks()).toEqual([])
  })
  expect(await marks()).toEqual(['new'])
})

test('who has begun to write is the one who writes, also after reading first; others wait, of this process too', async () => {
  const { db, other, marks } = await opened()
  other.pragma('busy_timeout = 0')
  const one = (name: string) =>
    inTransaction(db, async (trx) => {
      const before = await trx.selectFrom('marks').select('name').execute()
      expect(() => other.exec("insert into marks (name, at) values ('other', 'now')")).toThrow('database is locked')
      await trx
        .insertInto('marks')
        .values(mark(`${name} after ${before.length}`))
        .execute()
    })
  await Promise.all([one('first'), one('second')])
  expect(await marks()).toEqual(['first after 0', 'second after 1'])
})

test('who reads at one instant keeps nobody of this process from writing', async () => {
  const { db, marks } = await opened()
  await onSnapshot(db, async (trx) => {
    const read = () => trx.selectFrom('marks').selectAll().execute()
    expect(await read()).toEqual([])
    await db.insertInto('marks').values(mark('meanwhile')).execute()
    expect(await read()).toEqual([])
  })
  expect(await marks()).toEqual(['meanwhile'])
})

test('a full disk is what is said, and nothing of what was begun is there', async () => {
  const { db, marks } = await opened()
  await sql`pragma max_page_count = 1`.execute(db)
  const filling = inTransaction(db, async (trx) => {
    for (let n = 0; ; n += 1)
      await trx
        .insertInto('marks')
        .values(mark(`${n} ${'x'.repeat(4000)}`))
        .execute()
  })
  await expect(filling).rejects.toThrow('database or disk is full')
  expect(await filling.catch(failureOf)).toBe('full')
  await sql`pragma max_page_count = 100000`.execute(db)
  await inTransaction(db, (trx) => trx.insertInto('marks').values(mark('later')).execute())
  expect(await marks()).toEqual(['later'])
})

test.each([
  ['SQLITE_IOERR_FSYNC', 'unknown'],
  ['SQLITE_IOERR_WRITE', 'unwritable'],
])('of a change that a disk refused with %s it is told whether it may be kept', async (code, failure) => {
  const writer = new SQLite(':memory:')
  const db = onSqlite(writer)
  onTestFinished(() => db.destroy())
  writer.function('refuse', () => {
    throw new SQLite.SqliteError('disk I/O error', code)
  })
  const writing = sql`create table refused as select refuse() as it`.execute(db)
  expect(await writing.then(() => 'done', failureOf)).toBe(failure)
})
