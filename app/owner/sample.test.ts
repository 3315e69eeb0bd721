import { expect, test, vi } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { sampleSite } from '../../server/testing.ts'
import { readSite } from '../settings/site.server.ts'
import { recordTypes } from './record-types.server.ts'
import { countSample, removeSample } from './sample.server.ts'

vi.setConfig({ testTimeout: 60_000 })

const REMOVE = { intent: 'remove the sample' }

onEachEngine((fresh) => {
  const site = async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const left = async () => (await countSample(made.db, recordTypes)).reduce((sum, { count }) => sum + count, 0)
    const today = async (person: Parameters<typeof made.as>[0]) => (await made.as(person, '/today')).text()
    const rows = async () => ({
      cards: await made.db.selectFrom('cards').selectAll().orderBy('id').execute(),
      site: await readSite(made.db),
      pages: (await made.db.selectFrom('pages').selectAll().orderBy('id').execute()).map(({ id, facts }) => [
        id,
        facts,
      ]),
      days: (await made.db.selectFrom('specialDays').select('day').orderBy('day').execute()).map(({ day }) => day),
      week: (await made.db.selectFrom('businessWeek').selectAll().execute()).length,
    })
    return { ...made, left, today, rows }
  }
  const shown = <Row extends { cards: { version: number; updatedAt: string }[] }>({ cards, ...rest }: Row) => ({
    ...rest,
    cards: cards.map(({ version: _, updatedAt: __, ...card }) => card),
  })

  test('removes the sample content in one save, which an administrator can undo', async () => {
    const { today, left, post, rows, db, as } = await site()
    const before = await rows()
    const count = await left()
    expect(count).toBeGreaterThan(60)
    expect(await today('administrator')).toContain(`見本の内容が${count}件残っています。`)
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      expect(await today(person)).not.toContain('見本の内容')
      expect((await post(person, '/today', REMOVE)).status).toBe(person === 'guest' ? 401 : 403)
    }
    expect(await left()).toBe(count)

    const answer = await post('administrator', '/today', REMOVE)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain(`見本の内容を${count}件消しました。`)
    expect(await left()).toBe(0)
    expect(await today('administrator')).not.toContain('見本の内容が')
    const home = await (await as('guest', '/')).text()
    for (const word of ['結', '東京', '出汁', '京都', '店の風景']) expect(home, word).not.toContain(word)

    const { saveId } = await db
      .selectFrom('revisions')
      .select('saveId')
      .where('action', '=', 'remove the sample')
      .executeTakeFirstOrThrow()
    expect((await post('approved', '/undo', { save: saveId })).status).toBe(403)
    expect((await post('administrator', '/undo', { save: saveId })).status).toBeLessThan(400)
    expect(shown(await rows())).toEqual(shown(before))
    expect(await left()).toBe(count)
  })

  test('preserves sample content that the owner has edited', async () => {
    const { post, left, db, rows } = await site()
    const count = await left()
    const [mine, marked] = await db.selectFrom('cards').selectAll().where('collection', '=', 'dining').execute()
    const fields = { ...mine, price: '700', once: '', intent: 'save', draft: '' }
    const sent = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value ?? '')]))
    expect((await post('administrator', `/dining/${mine?.id}/edit`, sent)).status).toBeLessThan(400)
    // A change of its sold-out state leaves a dish sample content.
    await post('approved', '/dining', { intent: 'sold out', id: marked?.id ?? '' })
    expect(await left()).toBe(count - 1)
    await post('administrator', '/today', REMOVE)
    const { cards } = await rows()
    expect(cards.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id)).toEqual([mine?.id])
    expect(cards.find(({ id }) => id === mine?.id)).toMatchObject({ price: 700, title: mine?.title })
  })

  test('removes the sample content once when two requests arrive at the same time', async () => {
    const { db, left } = await site()
    const count = await left()
    const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
    const second = await overtaken(
      db,
      async (trx) => expect((await removeSample(trx, recordTypes, author))?.count).toBe(count),
      () => removeSample(db, recordTypes, author),
    )
    expect(second).toBeNull()
    expect(await left()).toBe(0)
  })
})
