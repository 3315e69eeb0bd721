import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from './open.ts'
import { onEachEngine } from './testing.ts'
import { inTransaction } from './transaction.ts'

onEachEngine((fresh) => {
  test('a new database has every table, empty', async () => {
    const db = await fresh()
    for (const table of [
      'contentItems',
      'businessWeek',
      'specialDays',
      'events',
      'extraHolidays',
      'site',
      'accounts',
      'sessions',
      'signInMethods',
      'verifications',
      'mailedLinks',
      'attempts',
      'revisions',
      'marks',
      'members',
      'memberDrafts',
      'onceKeys',
      'messages',
      'messageReplies',
      'messageArrivals',
      'outbox',
    ] as const) {
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
    }
  })

  test('a count is a number', async () => {
    const db = await fresh()
    const { count } = await db
      .selectFrom('marks')
      .select(db.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(0)
  })

  test('work that fails leaves nothing, also when it was put together from several', async () => {
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

test('the SQLite file survives a power cut after each commit, and opens again', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'noren-')), 'new', 'site.db')
  const db = await openDatabase({ file })
  const pragmas = await sql<{ journal_mode: string; synchronous: number; foreign_keys: number }>`
    select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`.execute(db)
  expect(pragmas.rows).toEqual([{ journal_mode: 'wal', synchronous: 2, foreign_keys: 1 }])
  await db.insertInto('marks').values({ name: 'kept', at: 'now' }).execute()
  await db.destroy()

  const again = await openDatabase({ file })
  expect(await again.selectFrom('marks').select('name').execute()).toEqual([{ name: 'kept' }])
  await again.destroy()
})
