import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failureOf } from './failure.ts'
import { connect, openDatabase } from './open.ts'
import { emptyPostgresUrl, freshPostgresUrl } from './testing.ts'
import { openLine } from './testing-line.ts'
import { openPooler } from './testing-pooler.ts'
import { WAIT_OPTIONS } from './testing-wait-options.ts'
import { inTransaction } from './transaction.ts'

const mark = (name: string) => ({ name, at: '2026-11-20T00:00:00Z' })

/**
 * Opens one database twice: `db` uses a connection that can fail, and `direct` uses a direct connection. Also collects
 * uncaught errors.
 */
async function openServed() {
  const url = await freshPostgresUrl()
  const direct = await openDatabase({ url, file: '' })
  const proxy = await openLine(url)
  const db = await connect({ url: proxy.url, file: '' }, { serving: true })
  const uncaught: unknown[] = []
  process.setUncaughtExceptionCaptureCallback((error) => void uncaught.push(error))
  onTestFinished(async () => {
    process.setUncaughtExceptionCaptureCallback(null)
    proxy.resume()
    proxy.mend()
    await Promise.all([db.destroy(), direct.destroy()])
    proxy.close()
  })
  const marks = async () =>
    (await direct.selectFrom('marks').select('name').orderBy('name').execute()).map((m) => m.name)
  return { db, direct, proxy, uncaught, marks }
}

const outcome = (work: Promise<unknown>) => work.then(() => 'done', failureOf)

async function waitUntilReachable(db: Awaited<ReturnType<typeof openServed>>['db']) {
  await vi.waitFor(() => sql`select 1`.execute(db), WAIT_OPTIONS)
}

test('fails only the transaction whose connection breaks', async () => {
  const { db, direct, uncaught, marks } = await openServed()
  const cut = inTransaction(db, async (trx) => {
    await trx.insertInto('marks').values(mark('lost')).execute()
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    setImmediate(() => void sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(direct))
    await sql`select pg_sleep(30)`.execute(trx)
  })
  expect(await outcome(cut)).toBe('away')
  await new Promise((resolve) => setImmediate(resolve))
  expect(uncaught).toEqual([])
  await inTransaction(db, (trx) => trx.insertInto('marks').values(mark('kept')).execute())
  expect(await marks()).toEqual(['kept'])
})

test('rolls back the whole transaction when a lock is not released in time', async () => {
  const { db, direct, marks } = await openServed()
  await direct.insertInto('marks').values(mark('held')).execute()
  await inTransaction(direct, async (lockHolder) => {
    await lockHolder.updateTable('marks').set({ at: 'now' }).execute()
    const waiting = inTransaction(db, async (trx) => {
      await trx.insertInto('marks').values(mark('given up')).execute()
      await trx.updateTable('marks').set({ at: 'then' }).where('name', '=', 'held').execute()
    })
    expect(await outcome(waiting)).toBe('busy')
    // Reads do not wait for the lock.
    expect(await db.selectFrom('marks').select('name').execute()).toHaveLength(1)
  })
  expect(await marks()).toEqual(['held'])
})

test('fails queries immediately while the database is known to be unreachable, and recovers when the database responds', async () => {
  const { db, proxy, marks, uncaught } = await openServed()
  await waitUntilReachable(db)
  proxy.hold()
  const first = inTransaction(db, (trx) => trx.insertInto('marks').values(mark('first')).execute())
  expect(await outcome(first)).toBe('away')
  for (const name of ['second', 'third']) {
    const saving = inTransaction(db, (trx) => trx.insertInto('marks').values(mark(name)).execute())
    const later = new Promise((resolve) => setImmediate(resolve, 'later'))
    expect(await Promise.race([outcome(saving), later])).toBe('away')
  }
  proxy.resume()
  await waitUntilReachable(db)
  await inTransaction(db, (trx) => trx.insertInto('marks').values(mark('later')).execute())
  expect(await marks()).toEqual(['later'])
  expect(uncaught).toEqual([])
})

test('reports an unknown outcome when the response to a commit is lost', async () => {
  const { db, proxy, marks } = await openServed()
  await waitUntilReachable(db)
  const commit = inTransaction(db, async (trx) => {
    await trx.insertInto('marks').values(mark('perhaps')).execute()
    setImmediate(() => proxy.break())
    await new Promise((later) => setImmediate(later))
  })
  expect(await outcome(commit)).toBe('unknown')
  proxy.mend()
  await waitUntilReachable(db)
  expect(await marks()).toEqual([])
})

const readSettings = async (url: string, serving: boolean) => {
  const db = await connect({ url, file: '' }, { serving })
  onTestFinished(() => db.destroy())
  const { rows } = await sql`
    select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`.execute(db)
  return rows[0]
}

test('sets the timeouts of a serving connection, both directly and through a session pooler', async () => {
  const url = await freshPostgresUrl()
  const timeouts = { lock: '5s', statement: '10s', idle: '15s' }
  expect(await readSettings(url, true)).toEqual(timeouts)
  expect(await readSettings(await openPooler(url, 'session'), true)).toEqual(timeouts)
  expect(await readSettings(url, false)).toEqual({ lock: '0', statement: '0', idle: '0' })
})

test('opens a serving connection through a session pooler', async () => {
  const url = await openPooler(await freshPostgresUrl(), 'session')
  const db = await openDatabase({ url, file: '', serving: true })
  await inTransaction(db, (trx) => trx.insertInto('marks').values(mark('kept')).execute())
  expect(await db.selectFrom('marks').select('name').execute()).toEqual([{ name: 'kept' }])
  await db.destroy()
})

test('rejects a serving connection through a transaction pooler before it runs migrations', async () => {
  const direct = await emptyPostgresUrl()
  const url = await openPooler(direct, 'transaction')
  await expect(openDatabase({ url, file: '', serving: true })).rejects.toThrow(
    /プーラー（PgBouncerなど）.*トランザクション.*DATABASE_URL.*pool_mode = session/,
  )
  const db = await connect({ url: direct, file: '' })
  onTestFinished(() => db.destroy())
  expect(await db.introspection.getTables()).toEqual([])
})

test('reads and writes through a transaction pooler when the connection is not a serving connection', async () => {
  const url = await openPooler(await freshPostgresUrl(), 'transaction')
  const db = await openDatabase({ url, file: '' })
  await inTransaction(db, (trx) => trx.insertInto('marks').values(mark('kept')).execute())
  expect(await db.selectFrom('marks').select('name').execute()).toEqual([{ name: 'kept' }])
  await db.destroy()
})
