import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failureOf } from './failure.ts'
import { openDatabase } from './open.ts'
import { onSnapshot } from './rows.ts'
import { onSqlite } from './sqlite.ts'
import { withoutWaiting } from './testing-timers.ts'
import { inTransaction } from './transaction.ts'

const mark = (name: string) => ({ name, at: '2026-11-20T00:00:00Z' })

async function openFile() {
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

test('reads while another process holds the write lock, and writes when the lock is released', async () => {
  const { db, other, marks } = await openFile()
  // The clock of the lock timeout stands still, because a busy machine may need longer for the reads.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  other.exec('begin immediate')
  const saving = inTransaction(db, (trx) => trx.insertInto('marks').values(mark('whole')).execute())
  const singleInsert = db.insertInto('marks').values(mark('alone')).execute()
  for (let read = 0; read < 3; read += 1) {
    expect(await marks()).toEqual([])
    await new Promise((later) => setTimeout(later, 20))
  }
  // A wait within SQLite would block the event loop.
  expect((await sql`pragma busy_timeout`.execute(db)).rows).toEqual([{ timeout: 0 }])
  other.exec('commit')
  await Promise.all([saving, singleInsert])
  expect(await marks()).toEqual(['alone', 'whole'])
})

test('rejects all waiting writes when another process holds the lock for five seconds', async () => {
  const { db, other, marks } = await openFile()
  other.exec('begin immediate')
  const save = (name: string) =>
    inTransaction(db, (trx) => trx.insertInto('marks').values(mark(name)).execute()).then(() => 'done', failureOf)
  const outcomes = await withoutWaiting(() => Promise.all(['first', 'second', 'third'].map(save)))
  expect(outcomes).toEqual(['busy', 'busy', 'busy'])
  other.exec('rollback')
  await db.insertInto('marks').values(mark('later')).execute()
  expect(await marks()).toEqual(['later'])
})

test('reads the previous state while a transaction is open', async () => {
  const { db, marks } = await openFile()
  await inTransaction(db, async (trx) => {
    await trx.insertInto('marks').values(mark('new')).execute()
    expect(await marks()).toEqual([])
  })
  expect(await marks()).toEqual(['new'])
})

test('runs write transactions one at a time, even when each transaction begins with a read', async () => {
  const { db, other, marks } = await openFile()
  other.pragma('busy_timeout = 0')
  const writeAfterRead = (name: string) =>
    inTransaction(db, async (trx) => {
      const before = await trx.selectFrom('marks').select('name').execute()
      expect(() => other.exec("insert into marks (name, at) values ('other', 'now')")).toThrow('database is locked')
      await trx
        .insertInto('marks')
        .values(mark(`${name} after ${before.length}`))
        .execute()
    })
  await Promise.all([writeAfterRead('first'), writeAfterRead('second')])
  expect(await marks()).toEqual(['first after 0', 'second after 1'])
})

test('writes while a snapshot is being read', async () => {
  const { db, marks } = await openFile()
  await onSnapshot(db, async (trx) => {
    const read = () => trx.selectFrom('marks').selectAll().execute()
    expect(await read()).toEqual([])
    await db.insertInto('marks').values(mark('meanwhile')).execute()
    expect(await read()).toEqual([])
  })
  expect(await marks()).toEqual(['meanwhile'])
})

test('reports a full disk and rolls back the whole transaction', async () => {
  const { db, marks } = await openFile()
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
])('reports whether a change may have been stored after the disk error %s', async (code, failure) => {
  const writer = new SQLite(':memory:')
  const db = onSqlite(writer)
  onTestFinished(() => db.destroy())
  writer.function('refuse', () => {
    throw new SQLite.SqliteError('disk I/O error', code)
  })
  const writing = sql`create table refused as select refuse() as it`.execute(db)
  expect(await writing.then(() => 'done', failureOf)).toBe(failure)
})
