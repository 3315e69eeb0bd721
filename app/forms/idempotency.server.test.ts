import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { runOnce, type SubmissionKey } from './idempotency.server.ts'

const at = '2026-11-20T03:00:00.000Z'
const submission = (fields: Partial<SubmissionKey> = {}): SubmissionKey => ({
  owner: 'account',
  form: 'form',
  key: 'key',
  at,
  ...fields,
})

onEachEngine((fresh) => {
  test('runs the work only once for simultaneous submissions, and returns the same result for all submissions', async () => {
    const db = await fresh()
    let runs = 0
    const work = async () => ({ number: ++runs })
    const results = await Promise.all(Array.from({ length: 20 }, () => runOnce(db, submission(), work)))
    expect(new Set(results.map((result) => JSON.stringify(result)))).toEqual(new Set(['{"number":1}']))
    expect(runs).toBe(1)
  })

  test('runs the work for each new key, owner or form, and for each submission without a key', async () => {
    const db = await fresh()
    let runs = 0
    const work = async () => ++runs
    const forms = [
      submission(),
      submission({ key: 'other' }),
      submission({ owner: 'someone else' }),
      submission({ form: 'another' }),
      submission({ key: '' }),
      submission({ key: '' }),
    ]
    for (const each of forms) await runOnce(db, each, work)
    expect(runs).toBe(6)
    expect(await runOnce(db, submission({ owner: 'someone else' }), work)).toBe(3)
    expect(await runOnce(db, submission(), work)).toBe(1)
  })

  test('rejects a submission with the key of an earlier submission and other content', async () => {
    const db = await fresh()
    let runs = 0
    const work = async () => ++runs
    await runOnce(db, submission({ content: 'first' }), work)
    const changed = runOnce(db, submission({ content: 'second' }), work)
    await expect(changed).rejects.toThrow('いまの内容はまだ保存していません')
    expect(await runOnce(db, submission({ content: 'first' }), work)).toBe(1)
    expect(await runOnce(db, submission({ content: 'second', key: 'next' }), work)).toBe(2)
  })

  test('runs the work again after a conflict, with the same key', async () => {
    const db = await fresh()
    expect(await runOnce(db, submission({ content: 'first' }), async () => ({ error: 'conflict' }))).toEqual({
      error: 'conflict',
    })
    expect(await runOnce(db, submission({ content: 'first' }), async () => ({ ok: 'saved' }))).toEqual({ ok: 'saved' })
  })

  test('returns the first result if an earlier version of the site stored it without the content', async () => {
    const db = await fresh()
    const stored = { owner: 'account', key: 'form key', result: '{"result":"saved"}', at }
    await db.insertInto('onceKeys').values(stored).execute()
    expect(await runOnce(db, submission({ content: 'any' }), async () => 'again')).toBe('saved')
  })

  test('rejects a repeated submission when an earlier version of the site stored the first result', async () => {
    const db = await fresh()
    await db.insertInto('onceKeys').values({ owner: 'account', key: 'form key', result: '', at }).execute()
    for (const result of [{ outcome: 'newer' }, 'saved', null]) {
      await db
        .updateTable('onceKeys')
        .set({ result: JSON.stringify(result) })
        .execute()
      const repeat = runOnce(db, submission(), async () => ({ ok: 'saved' }))
      await expect(repeat).rejects.toThrow('サイトの更新前に受け付けたようです')
    }
  })

  test('rolls back failed work and leaves the idempotency key unused', async () => {
    const db = await fresh()
    const failing = runOnce(db, submission(), async (trx) => {
      await trx.insertInto('marks').values({ name: 'half', at }).execute()
      throw new Error('failed')
    })
    await expect(failing).rejects.toThrow('failed')
    expect(await db.selectFrom('marks').selectAll().execute()).toEqual([])
    expect(await runOnce(db, submission(), async () => 'done')).toBe('done')
  })

  test('deletes an idempotency key after a week', async () => {
    const db = await fresh()
    await runOnce(db, submission(), async () => 'first')
    await runOnce(db, submission({ key: 'second', at: '2026-11-22T03:00:00.000Z' }), async () => 'second')
    await runOnce(db, submission({ key: 'later', at: '2026-11-28T03:00:00.000Z' }), async () => 'later')
    const stored = await db.selectFrom('onceKeys').select('key').orderBy('at').execute()
    expect(stored).toEqual([{ key: 'form second' }, { key: 'form later' }])
  })
})
