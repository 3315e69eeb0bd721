import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { sampleSite } from '../../server/testing.ts'
import { listCards } from '../cards/cards.server.ts'
import { readSite } from '../settings/site.server.ts'
import { recordTypes } from './record-types.server.ts'
import { countSample, removeSample } from './sample.server.ts'

const REMOVE = { intent: 'remove the sample' }

onEachEngine((fresh) => {
  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const countLeft = async () => (await countSample(sample.db, recordTypes)).reduce((sum, { count }) => sum + count, 0)
    const todayHtml = async (person: Parameters<typeof sample.as>[0]) => (await sample.as(person, '/today')).text()
    const readRows = async () => ({
      cards: await sample.db.selectFrom('cards').selectAll().orderBy('id').execute(),
      site: await readSite(sample.db),
      pages: (await sample.db.selectFrom('pages').selectAll().orderBy('id').execute()).map(({ id, facts }) => [
        id,
        facts,
      ]),
      days: (await sample.db.selectFrom('specialDays').select('day').orderBy('day').execute()).map(({ day }) => day),
      week: (await sample.db.selectFrom('businessWeek').selectAll().execute()).length,
    })
    return { ...sample, countLeft, todayHtml, readRows }
  }
  const withoutVersions = <Row extends { cards: { version: number; updatedAt: string }[] }>({
    cards,
    ...rest
  }: Row) => ({
    ...rest,
    cards: cards.map(({ version: _, updatedAt: __, ...card }) => card),
  })

  test('removes the sample content in one save, which an administrator can undo', async () => {
    const { todayHtml, countLeft, post, readRows, db, as } = await site()
    const before = await readRows()
    const count = await countLeft()
    expect(count).toBeGreaterThan(60)
    expect(await todayHtml('administrator')).toContain(`見本の内容が${count}件残っています。`)
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      expect(await todayHtml(person)).not.toContain('見本の内容')
      expect((await post(person, '/today', REMOVE)).status).toBe(person === 'guest' ? 401 : 403)
    }
    expect(await countLeft()).toBe(count)

    const response = await post('administrator', '/today', REMOVE)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(`見本の内容を${count}件削除しました。`)
    expect(await countLeft()).toBe(0)
    expect(await todayHtml('administrator')).not.toContain('見本の内容が')
    const home = await (await as('guest', '/')).text()
    for (const word of ['結', '東京', '出汁', '京都', '店の風景']) expect(home, word).not.toContain(word)

    const { saveId } = await db
      .selectFrom('revisions')
      .select('saveId')
      .where('action', '=', 'remove the sample')
      .executeTakeFirstOrThrow()
    expect((await post('approved', '/undo', { save: saveId })).status).toBe(403)
    expect((await post('administrator', '/undo', { save: saveId })).status).toBeLessThan(400)
    expect(withoutVersions(await readRows())).toEqual(withoutVersions(before))
    expect(await countLeft()).toBe(count)
  })

  test('preserves sample content that the owner has edited', async () => {
    const { post, countLeft, db, readRows } = await site()
    const count = await countLeft()
    const [edited, soldOut] = await db.selectFrom('cards').selectAll().where('collection', '=', 'dining').execute()
    const fields = { ...edited, price: '700', once: '', intent: 'save', draft: '' }
    const form = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value ?? '')]))
    expect((await post('administrator', `/dining/${edited?.id}/edit`, form)).status).toBeLessThan(400)
    // A dish remains sample content when only its position or its sold-out state changes.
    await post('approved', '/dining', { intent: 'sold out', id: soldOut?.id ?? '' })
    const order = (await listCards(db, 'dining')).map(({ id }) => id)
    const reordered = { intent: 'reorder', seen: order.join(), wanted: order.toReversed().join() }
    expect((await post('approved', '/dining', reordered)).status).toBe(200)
    expect(await countLeft()).toBe(count - 1)
    await post('administrator', '/today', REMOVE)
    const { cards } = await readRows()
    expect(cards.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id)).toEqual([edited?.id])
    expect(cards.find(({ id }) => id === edited?.id)).toMatchObject({ price: '700', title: edited?.title })
  })

  test('removes the sample content only once when two requests arrive at the same time', async () => {
    const { db, countLeft } = await site()
    const count = await countLeft()
    const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
    const second = await overtaken(
      db,
      async (trx) => expect((await removeSample(trx, recordTypes, author))?.count).toBe(count),
      () => removeSample(db, recordTypes, author),
    )
    expect(second).toBeNull()
    expect(await countLeft()).toBe(0)
  })
})
