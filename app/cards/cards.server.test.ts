import { expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { untilWaiting } from '../../db/testing-at-once.ts'
import { ImageMissing } from '../media/images.server.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { lastRevision } from '../records/revisions.server.ts'
import { restoreFromBin, revert, undoSave } from '../records/undo.server.ts'
import { listSections, saveSection } from '../sections/sections.server.ts'
import { type CardFields, fields } from './card.ts'
import { cardRecord, type StoredCard } from './card-record.server.ts'
import { addCard, deleteCard, listCards, markSoldOut, readCard, reorderCards, saveCard } from './cards.server.ts'
import { groupBySection } from './sections-of-cards.ts'

let clock = Date.UTC(2026, 10, 20)
const nextAuthor = () => {
  clock += 1000
  return { accountId: 'owner', at: new Date(clock).toISOString() }
}
const dish = { order: 1, title: '土鍋ご飯', content: '炊きたてです', price: '1200' } satisfies Partial<CardFields>

async function addThreeDishes(db: Db) {
  const ids: string[] = []
  for (let order = 1; order <= 3; order += 1) ids.push(await addCard(db, 'dining', { ...dish, order }, nextAuthor()))
  return ids as [string, string, string]
}

onEachEngine((fresh, engine) => {
  // SQLite has only one writer, so writes overlap only on PostgreSQL.
  const onPostgres = test.runIf(engine === 'PostgreSQL')

  test('merges edits when two editors change different fields', async () => {
    const db = await fresh()
    const id = await addCard(db, 'dining', dish, nextAuthor())
    await saveCard(db, { id, version: 1 }, { ...dish, title: '松茸ご飯' }, nextAuthor())
    const secondSave = await saveCard(db, { id, version: 1 }, { ...dish, price: '1500' }, nextAuthor())
    expect(secondSave).toMatchObject({ ok: { save: expect.any(String) } })
    expect(await readCard(db, id)).toMatchObject({
      title: '松茸ご飯',
      price: '1500',
      content: '炊きたてです',
      version: 3,
    })
  })

  test('returns a conflict with both values when two editors change the same field', async () => {
    const db = await fresh()
    const id = await addCard(db, 'dining', dish, nextAuthor())
    await saveCard(db, { id, version: 1 }, { ...dish, title: '松茸ご飯', price: '1800' }, nextAuthor())
    const secondSave = await saveCard(
      db,
      { id, version: 1 },
      { ...dish, title: '栗ご飯', content: '丹波の栗です' },
      nextAuthor(),
    )
    expect(secondSave).toMatchObject({
      error: 'conflict',
      fields: ['title'],
      item: { title: '松茸ご飯', content: '炊きたてです', version: 2 },
      mixed: { title: '栗ご飯', content: '丹波の栗です', price: '1800' },
    })
    expect(await readCard(db, id)).toMatchObject({ title: '松茸ご飯', content: '炊きたてです', version: 2 })
    // A repeated save of the same text causes no conflict and adds no revision.
    const repeatedSave = await saveCard(db, { id, version: 1 }, { ...dish, title: '松茸ご飯' }, nextAuthor())
    expect(repeatedSave).toMatchObject({ ok: { save: null, item: { version: 2 } } })
    expect((await readCard(db, id))?.version).toBe(2)
  })

  test('merges simultaneous edits of separate fields, but rejects a version that never existed', async () => {
    const db = await fresh()
    const id = await addCard(db, 'vbacreate', { title: 'あ', content: 'い' }, nextAuthor())
    const ofOtherTypes = ['draft', 'allergensConfirmed', 'order', 'price', 'eventDay', 'section']
    const inGroupOfAnother = ['portraitImage', 'imageAlt', 'text3', 'shownUntil']
    const ownFields = fields.filter((field) => ![...ofOtherTypes, ...inGroupOfAnother].includes(field))
    const saved = await Promise.all(
      ownFields.map((field) => saveCard(db, { id, version: 1 }, { [field]: `新しい${field}` }, nextAuthor())),
    )
    expect(saved.map(({ error }) => error)).toEqual(ownFields.map(() => undefined))
    expect(await readCard(db, id)).toMatchObject(
      Object.fromEntries(ownFields.map((field) => [field, `新しい${field}`])),
    )
    const unknown = await saveCard(db, { id, version: 99 }, { title: '上書き' }, nextAuthor())
    expect(unknown.error).toBe('conflict')
  })

  onPostgres('blocks later saves until the first save commits, and then merges the changes', async () => {
    const db = await fresh()
    const id = await addCard(db, 'dining', dish, nextAuthor())
    const seen = { id, version: 1 }
    const first = await db.startTransaction().execute()
    await saveCard(first, seen, { title: '松茸ご飯' }, nextAuthor())
    const laterSaves = Promise.all([
      saveCard(db, seen, { title: '栗ご飯' }, nextAuthor()),
      saveCard(db, seen, { price: '1500' }, nextAuthor()),
      deleteCard(db, seen, nextAuthor()),
    ])
    await untilWaiting(db, 3)
    await first.commit().execute()
    expect(await laterSaves).toMatchObject([
      { error: 'conflict', fields: ['title'], item: { title: '松茸ご飯' } },
      { ok: { item: { title: '松茸ご飯', price: '1500', version: 3 } } },
      { error: 'conflict' },
    ])
    expect(await readCard(db, id)).toMatchObject({ title: '松茸ご飯', price: '1500', version: 3 })
  })

  test('soft-deletes a card and restores the unchanged card from the bin', async () => {
    const db = await fresh()
    const id = await addCard(db, 'dining', dish, nextAuthor())
    await saveCard(db, { id, version: 1 }, { title: '松茸ご飯' }, nextAuthor())
    expect(await deleteCard(db, { id, version: 1 }, nextAuthor())).toMatchObject({ error: 'conflict' })
    expect(await deleteCard(db, { id, version: 2 }, nextAuthor())).toEqual({ ok: expect.any(String) })
    expect(await deleteCard(db, { id, version: 3 }, nextAuthor())).toEqual({ error: 'missing' })
    expect(await markSoldOut(db, id, true, nextAuthor())).toEqual({ error: 'missing' })
    expect(await readCard(db, id)).toBeNull()
    expect(await listCards(db, 'dining', { drafts: true })).toEqual([])
    expect(await saveCard(db, { id, version: 2 }, { title: '遅い' }, nextAuthor())).toEqual({ error: 'missing' })
    expect(await restoreFromBin(db, cardRecord, id, nextAuthor())).not.toBeNull()
    expect(await restoreFromBin(db, cardRecord, id, nextAuthor())).toBeNull()
    expect(await listCards(db, 'dining')).toMatchObject([{ ...dish, title: '松茸ご飯' }])
  })

  test('reverts a card to any earlier state, even from the bin', async () => {
    const db = await fresh()
    const id = await addCard(db, 'dining', dish, nextAuthor())
    await saveCard(db, { id, version: 1 }, { title: '二番目', draft: true }, nextAuthor())
    await deleteCard(db, { id, version: 2 }, nextAuthor())
    const revisions = await db.selectFrom('revisions').select(['id', 'action']).orderBy('at').execute()
    expect(await revert(db, cardRecord, revisions[0]?.id ?? '', nextAuthor())).toMatchObject({
      row: { ...dish, draft: false, version: 4 },
    })
    expect(await readCard(db, id)).toMatchObject(dish)
    expect(await revert(db, cardRecord, revisions[2]?.id ?? '', nextAuthor())).toBeNull()
    expect(await revert(db, cardRecord, 'no such', nextAuthor())).toBeNull()
    const actions = await db.selectFrom('revisions').select('action').orderBy('at').execute()
    expect(actions.map(({ action }) => action)).toEqual(['add', 'save', 'delete', 'put back'])
  })

  // F and D are sections, and x has none. The other dishes follow their sections.
  test.each([
    ['b', 'x F a c D d', 'x D d F c a', 'x D d F c b a'],
    ['b', 'x F a c D d', 'x F D d a c', 'x F b D d a c'],
    ['x', 'F a b c D d', 'D d F c b a', 'x D d F c b a'],
    ['d', 'x F a b c D', 'x D F a b c', 'x D d F a b c'],
  ])(
    'puts the restored dish %s in its place when the order %s becomes %s',
    async (restored, seen, wanted, expected) => {
      const db = await fresh()
      const ids = new Map<string, string>()
      for (const name of ['F', 'D']) {
        const id = crypto.randomUUID()
        await saveSection(db, id, { version: 0, facts: { name } }, nextAuthor())
        ids.set(name, id)
      }
      for (const [index, [name = '', section = '']] of ['x', 'aF', 'bF', 'cF', 'dD'].entries()) {
        const fields = { ...dish, title: name, order: index + 1, section: ids.get(section) ?? '' }
        ids.set(name, await addCard(db, 'dining', fields, nextAuthor()))
      }
      const readOrder = async () =>
        groupBySection(await listSections(db), await listCards(db, 'dining'))
          .flatMap(({ section, cards }) => [section?.name, ...cards.map(({ title }) => title)])
          .join(' ')
          .trim()
      const tokens = (names: string) =>
        names.split(' ').map((name) => (/[A-Z]/.test(name) ? `s:${ids.get(name)}` : `${ids.get(name)}`))
      const deleted = await deleteCard(db, { id: ids.get(restored) ?? '', version: 1 }, nextAuthor())
      expect(await readOrder()).toBe(seen)
      const undone = await undoSave(db, recordTypes, deleted.ok ?? '', nextAuthor())
      const order = { seen: tokens(seen), wanted: tokens(wanted) }
      expect((await reorderCards(db, 'dining', order, nextAuthor())).error).toBe('conflict')
      expect((await reorderCards(db, 'dining', { ...order, own: [undone ?? ''] }, nextAuthor())).error).toBeUndefined()
      expect(await readOrder()).toBe(expected)
    },
  )

  test('saves a new order as one save, or returns a conflict when the order has changed', async () => {
    const db = await fresh()
    const ids: string[] = []
    for (const order of [1, 2, 3, 4])
      ids.push(await addCard(db, 'dining', { ...dish, order, draft: order === 2 }, nextAuthor()))
    const [a, b, c, d] = ids as [string, string, string, string]
    const readOrder = async () => (await listCards(db, 'dining', { drafts: true })).map(({ id }) => id)
    const reordered = await reorderCards(db, 'dining', { seen: ids, wanted: [d, a, c, b] }, nextAuthor())
    expect(await readOrder()).toEqual([d, a, c, b])
    const revisions = await db.selectFrom('revisions').selectAll().where('action', '=', 'reorder').execute()
    expect(revisions.map(({ subjectId }) => subjectId).sort()).toEqual([a, b, d].sort())
    const unchanged = { seen: [d, a, c, b], wanted: [d, a, c, b] }
    expect(await reorderCards(db, 'dining', unchanged, nextAuthor())).toEqual({ ok: null })
    for (const wanted of [
      [a, b, c],
      [a, b, c, c],
      [a, b, c, 'x'],
    ]) {
      expect(await reorderCards(db, 'dining', { seen: [d, a, c, b], wanted }, nextAuthor())).toEqual({
        error: 'conflict',
      })
    }
    expect(await reorderCards(db, 'dining', { seen: ids, wanted: [b, a, c, d] }, nextAuthor())).toEqual({
      error: 'conflict',
    })
    expect(await readOrder()).toEqual([d, a, c, b])
    expect(await undoSave(db, recordTypes, reordered.ok ?? '', nextAuthor())).toBeTruthy()
    expect(await readOrder()).toEqual(ids)

    // If one card has changed since the save, the undo changes no card.
    const secondReorder = await reorderCards(db, 'dining', { seen: ids, wanted: [d, a, c, b] }, nextAuthor())
    const last = [a, b, d].toSorted().at(-1) ?? ''
    await markSoldOut(db, last, true, nextAuthor())
    expect(await undoSave(db, recordTypes, secondReorder.ok ?? '', nextAuthor())).toBeNull()
    expect(await readOrder()).toEqual([d, a, c, b])
    // Reverting one card leaves the other cards unchanged.
    for (const { id, subjectId } of revisions)
      expect(await revert(db, cardRecord, id, nextAuthor())).toMatchObject({ row: { id: subjectId } })
  })

  onPostgres('saves one of two concurrent reorders and returns a conflict for the other reorder', async () => {
    const db = await fresh()
    const seen = ['b', 'a', 'c']
    for (const id of seen) await addCard(db, 'dining', { ...dish, order: seen.indexOf(id) }, nextAuthor(), { id })
    // An open transaction locks one card, so that both reorders begin and then wait.
    const lockingTransaction = await db.startTransaction().execute()
    await markSoldOut(lockingTransaction, 'b', true, nextAuthor())
    const orders = ['abc', 'cba'].map((wanted) => [...wanted])
    const pendingResults = Promise.all(
      orders.map((wanted) =>
        reorderCards(db, 'dining', { seen, wanted }, nextAuthor()).then(({ error }) => error ?? 'saved'),
      ),
    )
    await untilWaiting(db, 2)
    await lockingTransaction.rollback().execute()
    const outcomes = await pendingResults
    expect(outcomes.toSorted()).toEqual(['conflict', 'saved'])
    const shown = await listCards(db, 'dining')
    expect(shown.map(({ id }) => id)).toEqual(orders[outcomes.indexOf('saved')])
  })

  test('undoes a save unless the card has changed since the save', async () => {
    const db = await fresh()
    const id = await addCard(db, 'dining', dish, nextAuthor())
    const first = await saveCard(db, { id, version: 1 }, { title: '一度目' }, nextAuthor())
    const second = await saveCard(db, { id, version: 2 }, { title: '二度目' }, nextAuthor())
    const saveOf = ({ ok }: Awaited<ReturnType<typeof saveCard>>) => ok?.save ?? ''
    expect(await undoSave(db, recordTypes, saveOf(first), nextAuthor())).toBeNull()
    expect(await readCard(db, id)).toMatchObject({ title: '二度目', version: 3 })
    expect(await undoSave(db, recordTypes, saveOf(second), nextAuthor())).toBeTruthy()
    expect(await readCard(db, id)).toMatchObject({ title: '一度目', version: 4 })

    // A change by another author at the same time is a separate save.
    const sameAuthor = nextAuthor()
    const added = await addCard(db, 'dining', dish, sameAuthor)
    const otherCard = await addCard(db, 'dining', dish, { ...sameAuthor, accountId: 'somebody else' })
    const revisionsOfAdded = db.selectFrom('revisions').select('saveId').where('subjectId', '=', added)
    expect(
      await undoSave(db, recordTypes, (await revisionsOfAdded.executeTakeFirst())?.saveId ?? '', nextAuthor()),
    ).toBeTruthy()
    expect([await readCard(db, added), (await readCard(db, otherCard))?.id]).toEqual([null, otherCard])
    await db.deleteFrom('cards').where('id', '!=', id).execute()

    // An undo of a restore moves the card back to the bin. The deletion time is the time of the undo.
    await deleteCard(db, { id, version: 4 }, nextAuthor())
    const restored = await restoreFromBin(db, cardRecord, id, nextAuthor())
    const now = nextAuthor()
    expect(await undoSave(db, recordTypes, restored?.save ?? '', now)).toBeTruthy()
    expect(await lastRevision(db, 'card', id)).toMatchObject({ at: now.at, after: null })
  })

  test('rejects a card when its image is no longer stored', async () => {
    const db = await fresh()
    const image = `/pictures/${'0'.repeat(32)}-800.jpg`
    await expect(addCard(db, 'dining', { ...dish, image }, nextAuthor())).rejects.toThrow(ImageMissing)
    expect(await listCards(db, 'dining')).toEqual([])
    const id = await addCard(db, 'dining', dish, nextAuthor())
    await expect(saveCard(db, { id, version: 1 }, { image, price: '1' }, nextAuthor())).rejects.toThrow(ImageMissing)
    expect(await readCard(db, id)).toMatchObject({ ...dish, image: '', version: 1 })
  })

  test('lists drafts only when requested', async () => {
    const db = await fresh()
    const id = await addCard(db, 'dining', { ...dish, draft: true }, nextAuthor())
    expect(await listCards(db, 'dining')).toEqual([])
    expect(await listCards(db, 'dining', { drafts: true })).toMatchObject([{ id, draft: true }])
  })

  test('reorders the cards of a stale form when the tab itself has restored a card', async () => {
    const db = await fresh()
    const [a, b, c] = await addThreeDishes(db)
    await deleteCard(db, { id: b, version: 1 }, nextAuthor())
    const restored = await restoreFromBin(db, cardRecord, b, nextAuthor())
    const order = { seen: [a, c], wanted: [c, a], own: [restored?.save ?? ''] }
    expect(await reorderCards(db, 'dining', order, nextAuthor())).toMatchObject({ ok: expect.any(String) })
    const stored = (await listCards(db, 'dining')).map(({ id, order }) => [id, order])
    expect(stored).toEqual([c, b, a].map((id, index) => [id, index + 1]))
  })

  test('returns a conflict for a stale form when another author has moved a card since a save of the tab', async () => {
    const db = await fresh()
    const [a, b, c] = await addThreeDishes(db)
    const seen = [a, b, c]
    const ownSave = (await reorderCards(db, 'dining', { seen, wanted: [b, a, c] }, nextAuthor())).ok ?? ''
    await saveCard(db, { id: a, version: 2 }, { order: 99 }, { ...nextAuthor(), accountId: 'somebody else' })
    const late = await reorderCards(db, 'dining', { seen, wanted: [c, b, a], own: [ownSave] }, nextAuthor())
    expect(late).toEqual({ error: 'conflict' })
    expect((await listCards(db, 'dining')).map(({ id }) => id)).toEqual([b, c, a])
  })

  test('marks a dish as sold out and lets an author undo the save, but rejects a slide', async () => {
    const db = await fresh()
    const id = await addCard(db, 'dining', { ...dish, draft: true }, nextAuthor())
    const soldOutSave = await markSoldOut(db, id, true, nextAuthor())
    expect((await readCard(db, id))?.soldOutAt).toMatch(/^2026-/)
    expect(await undoSave(db, recordTypes, soldOutSave.ok ?? '', nextAuthor())).toBeTruthy()
    expect((await readCard(db, id))?.soldOutAt).toBeNull()
    await markSoldOut(db, id, true, nextAuthor())
    await markSoldOut(db, id, false, nextAuthor())
    expect((await readCard(db, id))?.soldOutAt).toBeNull()
    expect(await lastRevision(db, 'card', id)).toMatchObject({ action: 'sold out', after: { other: '' } })
    const slide = await addCard(db, 'home', { text1: '笑顔', image: '/art/a-800.jpg' }, nextAuthor())
    expect(await markSoldOut(db, slide, true, nextAuthor())).toEqual({ error: 'missing' })
  })
})

test('publishes the change of a card on a page of the owner as a change of the site', () => {
  const collections = ['dining', 'p-about'] as const
  expect(collections.map((collection) => cardRecord.topicOf({ collection } as StoredCard))).toEqual(['dining', 'site'])
})
