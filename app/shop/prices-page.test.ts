import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { dataPathOf, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import type { Person } from '../../server/tools/demo.ts'
import { addCard, deleteCard, listCards, saveCard } from '../cards/cards.server.ts'
import type { PriceChanges } from '../cards/price-changes.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { emptySection, saveSection } from '../sections/sections.server.ts'

const author = { accountId: 'demo-administrator', at: '2026-11-20T00:00:00.000Z' }
const sectionId = '00000000-0000-4000-8000-000000000001'

onEachEngine((fresh) => {
  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const dishes = () => listCards(sample.db, 'dining', { drafts: true })
    const prices = async () => (await dishes()).map(({ price }) => price)
    const send = async (changes: unknown, fields: Record<string, string> = {}, person: Person = 'approved') => {
      const text = typeof changes === 'string' ? changes : JSON.stringify(changes)
      const response = await sample.post(person, dataPathOf('/dining/prices'), { changes: text, ...fields })
      const result = await actionDataOf<SaveResult & { newer?: Record<string, string> }>(response)
      return { status: response.status, ...result }
    }
    return { ...sample, dishes, prices, send }
  }
  /** Returns changes of the prices of the first dishes. */
  const changesOf = (dishes: { id: string; price: string }[], ...prices: string[]): PriceChanges =>
    Object.fromEntries(prices.map((price, index) => [dishes[index]?.id, { seen: dishes[index]?.price ?? '', price }]))

  test('saves the changed prices in one save with a history entry per dish, and undoes all of them', async () => {
    const { db, post, dishes, prices, send } = await createSite()
    const before = await dishes()
    const changes = changesOf(before, '１，２００円', '小 ¥800、大 1,200円', ' 時価 ', '')
    const saved = await send(changes)
    expect(saved).toMatchObject({ status: 200, done: '4品の価格を保存しました。', to: '/dining' })
    expect((await prices()).slice(0, 5)).toEqual(['1200', '小 800、大 1200', '時価', '', before[4]?.price])
    const { save = '' } = saved.undo?.fields ?? {}
    const ofSave = await db.selectFrom('revisions').select('subjectId').where('saveId', '=', save).execute()
    expect(ofSave.map(({ subjectId }) => subjectId).sort()).toEqual(Object.keys(changes).sort())
    expect((await post('approved', dataPathOf('/undo'), { save })).status).toBe(200)
    expect(await prices()).toEqual(before.map(({ price }) => price))
  })

  test('saves a repeated submission once and returns its undo again', async () => {
    const { db, dishes, send } = await createSite()
    const [dish] = await dishes()
    const changes = changesOf([dish as NonNullable<typeof dish>], '999')
    const [one, other] = await Promise.all([send(changes, { once: 'a' }), send(changes, { once: 'a' })])
    expect(one).toEqual(other)
    expect((await dishes())[0]).toMatchObject({ price: '999', version: (dish?.version ?? 0) + 1 })
    const { save = '' } = one.undo?.fields ?? {}
    expect(await db.selectFrom('revisions').select('id').where('saveId', '=', save).execute()).toHaveLength(1)
  })

  test('rejects prices that were changed after the first response was lost, until they are sent again', async () => {
    const { dishes, prices, send } = await createSite()
    const before = await dishes()
    await send(changesOf(before, '700'), { once: 'a' })
    const changed = await send(changesOf(before, '750'), { once: 'a' })
    expect(changed).toMatchObject({ status: 409, trouble: expect.stringContaining('まだ保存していません') })
    expect(changed.done).toBeUndefined()
    expect((await prices())[0]).toBe('700')
    expect(await send(changesOf(before, '750'), { once: 'b' })).toMatchObject({ status: 409, newer: expect.anything() })
    expect((await send(changesOf(await dishes(), '750'), { once: 'c' })).status).toBe(200)
    expect((await prices())[0]).toBe('750')
  })

  test.each([
    ['百円', '価格は円の数字で入力してください'],
    ['-1', '価格は0円以上で入力してください'],
    ['1000001', '価格は100万円までです'],
    ['一 1、二 2、三 3、四 4、五 5、六 6、七 7', '価格は6つまでです'],
  ])('saves nothing and names the dish when a price is %s', async (wrong, sentence) => {
    const { dishes, send } = await createSite()
    const before = await dishes()
    const rejected = await send(changesOf(before, '700', wrong))
    const errors = { [`changes.${before[1]?.id}.price`]: [sentence] }
    expect(rejected).toMatchObject({ status: 400, errors })
    expect(Object.keys(rejected.errors ?? {})).toHaveLength(1)
    expect(await dishes()).toEqual(before)
  })

  test('merges changes of other fields, but returns the current price when another author has changed it', async () => {
    const { db, dishes, send } = await createSite()
    const before = await dishes()
    const [first, second] = before as [(typeof before)[0], (typeof before)[0]]
    await saveCard(db, { id: first.id, version: first.version }, { price: '888' }, author)
    await saveCard(db, { id: second.id, version: second.version }, { title: 'ほかの題' }, author)
    const changes = changesOf(before, '700', '710')
    expect(await send(changes)).toMatchObject({
      status: 409,
      newer: { [first.id]: '888' },
      errors: { [`changes.${first.id}.price`]: [expect.stringContaining('ほかの方が先に')] },
    })
    expect((await dishes()).slice(0, 2)).toMatchObject([{ price: '888' }, { price: second.price }])
    const seenAgain = { ...changes, [first.id]: { seen: '888', price: '700' } }
    expect(await send(seenAgain)).toMatchObject({ status: 200, done: '2品の価格を保存しました。' })
    expect((await dishes()).slice(0, 2)).toMatchObject([{ price: '700' }, { price: '710', title: 'ほかの題' }])
    expect(await send(seenAgain)).toMatchObject({ status: 200, done: '変更はありませんでした。' })
  })

  test('never replaces the price of another author with an equal price in another form', async () => {
    const { db, dishes, send, prices } = await createSite()
    const before = await dishes()
    const [first] = before as [(typeof before)[0]]
    await saveCard(db, { id: first.id, version: first.version }, { price: '888' }, author)
    expect(await send(changesOf(before, `${first.price}円`))).toMatchObject({ done: '変更はありませんでした。' })
    expect((await prices())[0]).toBe('888')
  })

  test('saves the other prices when a dish was deleted meanwhile, and reports the deleted dish', async () => {
    const { db, dishes, send } = await createSite()
    const before = await dishes()
    const [first, second] = before as [(typeof before)[0], (typeof before)[0]]
    await deleteCard(db, { id: first.id, version: first.version }, author)
    const { done } = await send(changesOf(before, '700', '710'))
    expect(done).toBe('1品の価格を保存しました。削除された料理の価格は保存していません。')
    expect((await dishes())[0]).toMatchObject({ id: second.id, price: '710' })
  })

  test('changes the prices of 200 dishes in one save', async () => {
    const { db, dishes, prices, send } = await createSite()
    const present = (await dishes()).length
    for (let index = present; index < 200; index++)
      await addCard(db, 'dining', { title: `皿${index}`, price: '一合 900、二合 1700' }, author)
    const texts = Array.from({ length: 200 }, (_, index) => `一合 ${2000 + index}、二合 ${3000 + index}`)
    expect(await send(changesOf(await dishes(), ...texts))).toMatchObject({ done: '200品の価格を保存しました。' })
    expect(await prices()).toEqual(texts)
  })

  test('lists the dishes by section for editors, and returns no price to guests', async () => {
    const { db, as, dishes } = await createSite()
    const [first] = await dishes()
    await saveSection(db, sectionId, { version: 0, facts: { ...emptySection, name: '土鍋' } }, author)
    const draft = { title: '試作の皿', price: '4321', draft: true, section: sectionId }
    await addCard(db, 'dining', draft, author)
    const html = await (await as('approved', '/dining/prices')).text()
    expect(html).toMatch(/分類なし<.*季節の炊き込みご飯<.*土鍋<.*試作の皿<.*value="4321"/s)
    const denied = await (await as('guest', '/dining/prices')).text()
    expect(denied).toContain('ログインしてください')
    expect(denied).not.toMatch(/4321|試作の皿/)
    expect(denied).not.toContain(`value="${first?.price}"`)
  })

  test.each(['', '{', '[]', '"1"', 'null', '{"a":1}', '{"a":{"seen":1,"price":"1"}}'])(
    'rejects the changes %s and stores nothing',
    async (changes) => {
      const { dishes, send } = await createSite()
      const before = await dishes()
      expect(await send(changes)).toMatchObject({ status: 400, errors: expect.anything() })
      expect(await dishes()).toEqual(before)
    },
  )

  test('ignores IDs that belong to no dish', async () => {
    const { db, send } = await createSite()
    const slides = await listCards(db, 'home', { drafts: true })
    const ids = [...slides.map(({ id }) => id), '__proto__', "'; drop table cards", 'x'.repeat(5000)]
    const changes = Object.fromEntries(ids.map((id) => [id, { seen: '', price: '1' }]))
    expect((await send(changes)).status).toBe(200)
    expect(await listCards(db, 'home', { drafts: true })).toEqual(slides)
  })
})
