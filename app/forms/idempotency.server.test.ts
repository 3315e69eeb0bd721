import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { runOnce, type SubmissionKey } from './idempotency.server.ts'

const at = '2026-11-20T03:00:00.000Z'
const form = (given: Partial<SubmissionKey> = {}): SubmissionKey => ({
  owner: 'account',
  form: 'form',
  key: 'key',
  at,
  ...given,
})

onEachEngine((fresh) => {
  test('runs the work once for simultaneous submissions and returns its result to all', async () => {
    const db = await fresh()
    let done = 0
    const work = async () => ({ number: ++done })
    const results = await Promise.all(Array.from({ length: 20 }, () => runOnce(db, form(), work)))
    expect(new Set(results.map((result) => JSON.stringify(result)))).toEqual(new Set(['{"number":1}']))
    expect(done).toBe(1)
  })

  test('runs the work for each different key, owner and form, and always without a key', async () => {
    const db = await fresh()
    let done = 0
    const work = async () => ++done
    const forms = [
      form(),
      form({ key: 'other' }),
      form({ owner: 'someone else' }),
      form({ form: 'another' }),
      form({ key: '' }),
      form({ key: '' }),
    ]
    for (const each of forms) await runOnce(db, each, work)
    expect(done).toBe(6)
    expect(await runOnce(db, form({ owner: 'someone else' }), work)).toBe(3)
    expect(await runOnce(db, form(), work)).toBe(1)
  })

  test('rejects a repeat when an earlier version of the site stored the first result', async () => {
    const db = await fresh()
    const result = JSON.stringify({ outcome: 'newer' })
    await db.insertInto('onceKeys').values({ owner: 'account', key: 'form key', result, at }).execute()
    const repeat = runOnce(db, form(), async () => ({ ok: 'saved' }))
    await expect(repeat).rejects.toThrow('サイトが新しくなる前に受け付けたようです')
  })

  test('rolls back failed work and leaves its key unused', async () => {
    const db = await fresh()
    const failing = runOnce(db, form(), async (trx) => {
      await trx.insertInto('marks').values({ name: 'half', at }).execute()
      throw new Error('failed')
    })
    await expect(failing).rejects.toThrow('failed')
    expect(await db.selectFrom('marks').selectAll().execute()).toEqual([])
    expect(await runOnce(db, form(), async () => 'done')).toBe('done')
  })

  test('deletes a key after a week', async () => {
    const db = await fresh()
    await runOnce(db, form(), async () => 'first')
    await runOnce(db, form({ key: 'second', at: '2026-11-22T03:00:00.000Z' }), async () => 'second')
    await runOnce(db, form({ key: 'later', at: '2026-11-28T03:00:00.000Z' }), async () => 'later')
    const kept = await db.selectFrom('onceKeys').select('key').orderBy('at').execute()
    expect(kept).toEqual([{ key: 'form second' }, { key: 'form later' }])
  })
})
