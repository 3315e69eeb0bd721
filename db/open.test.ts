import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { untypedTables } from './engine.ts'
import { connect, migrate, openDatabase } from './open.ts'
import { onSnapshot } from './rows.ts'
import { onSqlite } from './sqlite.ts'
import { emptyPostgresUrl, engines, freshPostgresUrl, onEachEngine } from './testing.ts'
import { inTransaction } from './transaction.ts'

onEachEngine((fresh) => {
  test('creates all tables without rows in a new database', async () => {
    const db = await fresh()
    for (const table of [
      'cards',
      'businessWeek',
      'specialDays',
      'events',
      'extraHolidays',
      'site',
      'identity',
      'accounts',
      'sessions',
      'signInMethods',
      'verifications',
      'mailedLinks',
      'apiTokens',
      'passkeys',
      'attempts',
      'revisions',
      'marks',
      'members',
      'memberDrafts',
      'onceKeys',
      'messages',
      'messageReplies',
      'outbox',
    ] as const) {
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
    }
  })

  test('stores booleans as 0 and 1 and returns them as booleans', async () => {
    const db = await fresh()
    const times = { createdAt: '2026-11-20T00:00:00Z', updatedAt: '2026-11-20T00:00:00Z' }
    const account = (id: string, emailVerified: boolean) => ({
      id,
      name: id,
      email: id,
      emailVerified,
      image: null,
      ...times,
    })
    await db
      .insertInto('accounts')
      .values([account('a', true), account('b', true), account('c', false)])
      .execute()
    await db.updateTable('accounts').set({ emailVerified: false }).where('id', '=', 'b').execute()
    const flags = (on = db) => on.selectFrom('accounts').select(['id', 'emailVerified']).orderBy('id')
    const returned = ({ id, emailVerified }: { id: string; emailVerified: boolean }) => [id, emailVerified]
    expect((await flags().execute()).map(returned)).toEqual([
      ['a', true],
      ['b', false],
      ['c', false],
    ])
    expect((await flags().where('emailVerified', '=', true).execute()).map(returned)).toEqual([['a', true]])
    expect((await flags(db.withoutPlugins()).execute()).map(returned)).toEqual([
      ['a', 1],
      ['b', 0],
      ['c', 0],
    ])
  })

  test('returns a count as a number', async () => {
    const db = await fresh()
    const { count } = await db
      .selectFrom('marks')
      .select(db.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(0)
  })

  test('rolls back the changes of a nested transaction when the outer transaction fails', async () => {
    const db = await fresh()
    const mark = (name: string) => ({ name, at: '2026-11-20T00:00:00Z' })
    const failing = inTransaction(db, async (trx) => {
      await inTransaction(trx, (same) => same.insertInto('marks').values(mark('inner')).execute())
      throw new Error('too late')
    })
    await expect(failing).rejects.toThrow('too late')
    expect(await db.selectFrom('marks').selectAll().execute()).toEqual([])
  })
})

test.each(engines)('preserves existing sign-in methods and mailed links in a migration on %s', async (engine) => {
  const place = engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' }
  const db = await connect(place)
  onTestFinished(() => db.destroy())
  await migrate(db, '0013-attempts')
  const times = { createdAt: '2026-11-20T00:00:00.000Z', updatedAt: '2026-11-20T00:00:00.000Z' }
  const insert = (table: string, ...rows: Record<string, unknown>[]) =>
    untypedTables(db).insertInto(table).values(rows).execute()
  await insert('accounts', {
    id: 'a',
    name: '花',
    email: 'hana@example.jp',
    emailVerified: true,
    image: null,
    ...times,
  })
  const method = { id: 'm', provider: 'credential', subject: 'a', password: 'hash', ...times }
  await insert('signInMethods', { ...method, accountId: 'a' })
  const link = { accountId: 'a', expiresAt: '2026-11-21T00:00:00.000Z' }
  const [verify, reset, change] = [
    { ...link, key: '1', purpose: 'verify', email: 'hana@example.jp' },
    { ...link, key: '2', purpose: 'reset', email: 'hana@example.jp' },
    { ...link, key: '3', purpose: 'verify', email: 'new@example.jp' },
  ]
  await insert('mailedLinks', verify, reset, change)
  await migrate(db)
  expect(await db.selectFrom('signInMethods').selectAll().execute()).toMatchObject([{ ...method, owner: 'a' }])
  const links = await db.selectFrom('mailedLinks').selectAll().orderBy('key').execute()
  expect(links).toEqual([verify, reset, { ...change, purpose: 'change' }])
  await insert('mailedLinks', { ...link, key: '4', purpose: 'undo', email: 'hana@example.jp' })
  await expect(insert('mailedLinks', { ...verify, key: '5', purpose: 'open' })).rejects.toThrow()
  await expect(insert('signInMethods', { ...method, id: 'other', owner: 'a' })).rejects.toThrow()
  await db.deleteFrom('accounts').execute()
  for (const table of ['signInMethods', 'mailedLinks'] as const) {
    expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
  }
})

test.each(engines)('adds versions and save IDs to existing revisions in a migration on %s', async (engine) => {
  const place = engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' }
  const db = await connect(place)
  onTestFinished(() => db.destroy())
  await migrate(db, '0015-identity')
  const [first, second] = ['2026-11-20T00:00:00.000Z', '2026-11-20T00:01:00.000Z']
  const state = (version: number, deletedAt?: string | null) => JSON.stringify({ version, title: '題', deletedAt })
  const rows = [
    ['card', 'a', 'hana', first, null, state(1, null)],
    // Two changes by one author at one instant belong to one save. A change by another author belongs to another save.
    ['card', 'a', 'hana', second, state(1, null), state(2, null)],
    ['card', 'b', 'hana', second, state(4, null), null],
    ['card', 'c', 'sora', second, null, state(1, null)],
    ['member', 'm', null, second, state(3, null), state(4, second)],
    ['member', 'm', null, first, state(4, second), state(5, null)],
    ...Array.from({ length: 1200 }, (_, n) => ['event', `e${n}`, null, `${n}`, null, state(1)]),
  ].map(([subject, subjectId, accountId, at, before, after], index) => {
    const id = `${1000 + index}`
    return {
      id,
      subject: subject === 'card' ? 'contentItem' : subject,
      subjectId,
      action: 'x',
      accountId,
      at,
      before,
      after,
    }
  })
  for (const row of rows) await untypedTables(db).insertInto('revisions').values(row).execute()
  await migrate(db)
  const now = await db.selectFrom('revisions').selectAll().orderBy('id').execute()
  const summaries = now.map(({ subject, version, saveId, before, after }) => [
    subject,
    version,
    saveId,
    !!before,
    !!after,
  ])
  expect(summaries.slice(0, 6)).toEqual([
    ['card', 1, '1000', false, true],
    ['card', 2, '1001', true, true],
    ['card', 5, '1001', true, false],
    ['card', 1, '1003', false, true],
    // A record in the bin counts as missing.
    ['member', 4, '1004', true, false],
    ['member', 5, '1005', false, true],
  ])
  expect(now.slice(6).every(({ version, id, saveId }) => version === 1 && saveId === id)).toBe(true)
})

test('caches the 300 most recently used compiled statements of SQLite', async () => {
  const database = new SQLite(':memory:')
  const compile = vi.spyOn(database, 'prepare')
  const db = onSqlite(database)
  onTestFinished(() => db.destroy())
  const plus = async (number: number, other: number) => {
    const { rows } = await sql<{ sum: number }>`select ${sql.lit(number)} + ${other} as sum`.execute(db)
    return rows[0]?.sum
  }
  const countCompilations = async (number: number) => {
    compile.mockClear()
    expect(await plus(number, 1)).toBe(number + 1)
    return compile.mock.calls.length
  }
  expect(await Promise.all([plus(0, 1), plus(0, 2)])).toEqual([1, 2])
  expect(await countCompilations(0)).toBe(0)
  for (let number = 1; number < 300; number++) expect(await countCompilations(number)).toBe(1)
  expect(await countCompilations(0)).toBe(0)
  expect(await countCompilations(300)).toBe(1)
  expect([await countCompilations(0), await countCompilations(1)]).toEqual([0, 1])
})

test('preserves committed rows when an SQLite file is closed and reopened', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'noren-')), 'new', 'site.db')
  const db = await openDatabase({ file })
  const pragmas = await inTransaction(db, (trx) =>
    sql<{ journal_mode: string; synchronous: number; foreign_keys: number }>`
      select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`.execute(trx),
  )
  expect(pragmas.rows).toEqual([{ journal_mode: 'wal', synchronous: 2, foreign_keys: 1 }])
  await db.insertInto('marks').values({ name: 'kept', at: 'now' }).execute()
  await db.destroy()

  const again = await openDatabase({ file })
  expect(await again.selectFrom('marks').select('name').execute()).toEqual([{ name: 'kept' }])
  await again.destroy()
})

test('queues concurrent write transactions on one SQLite file without blocking readers', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'noren-')), 'site.db')
  const [one, other] = [await openDatabase({ file }), await openDatabase({ file })]
  const marks = (db: typeof one) => db.selectFrom('marks').select('name').orderBy('name').execute()
  const mark = (db: typeof one, name: string) => db.insertInto('marks').values({ name, at: 'now' }).execute()

  await inTransaction(one, async (trx) => {
    expect(await marks(trx)).toEqual([])
    const second = mark(other, 'second')
    await mark(trx, 'first')
    return { second }
  }).then(({ second }) => second)
  await onSnapshot(one, async (trx) => {
    expect(await marks(trx)).toHaveLength(2)
    await mark(other, 'third')
    expect(await marks(trx)).toHaveLength(2)
  })
  expect(await marks(one)).toEqual([{ name: 'first' }, { name: 'second' }, { name: 'third' }])
  for (const db of [one, other]) await db.destroy()
})

test('replaces an idle PostgreSQL connection when the connection breaks', async () => {
  const url = await freshPostgresUrl()
  const [db, other] = [await openDatabase({ url, file: '' }), await openDatabase({ url, file: '' })]
  const uncaught: unknown[] = []
  process.setUncaughtExceptionCaptureCallback((error) => void uncaught.push(error))
  onTestFinished(() => process.setUncaughtExceptionCaptureCallback(null))
  const connection = async () => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    return rows[0]?.pid
  }
  const broken = await connection()
  // The statement returns after the connection has ended. The pending events of the connection run before the next
  // `setImmediate`.
  await sql`select pg_terminate_backend(${broken}, 10000)`.execute(other)
  await new Promise((resolve) => setImmediate(resolve))
  expect(await connection()).not.toBe(broken)
  expect(uncaught).toEqual([])
  for (const each of [db, other]) await each.destroy()
})
