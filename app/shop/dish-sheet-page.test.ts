import sharp from 'sharp'
import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { dataPathOf, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { readForms } from '../../server/testing-forms.ts'
import type { CardResult } from '../cards/card-result.ts'
import { addCard, deleteCard, listCards, readCard } from '../cards/cards.server.ts'
import { addImage } from '../media/testing-images.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { removeUnusedImages } from '../records/images-in-use.server.ts'
import { deleteSection, emptySection, saveSection } from '../sections/sections.server.ts'

const author = { accountId: 'demo-administrator', at: '2026-11-20T00:00:00.000Z' }
const section = '00000000-0000-4000-8000-000000000001'
const beer = { title: '　生ビール ', price: '６００円', marks: 'アルコール', draft: 'on', order: '40', section }
const DAY_MS = 24 * 60 * 60_000

onEachEngine((fresh) => {
  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const { db } = sample
    await saveSection(db, section, { version: 0, facts: { ...emptySection, name: 'お飲みもの' } }, author)
    const dishes = () => listCards(db, 'dining', { drafts: true })
    const named = async (title: string) => (await dishes()).filter((dish) => dish.title === title)
    const send = async (path: string, fields: Record<string, string>) => {
      const response = await sample.post('approved', dataPathOf(path), fields)
      return { status: response.status, ...(await actionDataOf<CardResult>(response)) }
    }
    const add = (fields: Record<string, string>) => send('/dining/new/add', fields)
    const html = async (path: string, person: Parameters<typeof sample.as>[0] = 'approved') =>
      (await sample.as(person, path)).text()
    const readForm = async (path: string) =>
      Object.fromEntries(readForms(await html(path)).find(({ names }) => names.has('title'))?.fields ?? [])
    return { ...sample, dishes, named, send, add, html, readForm }
  }

  test('adds a dish and returns the next blank dish of the same section', async () => {
    const { add, named } = await createSite()
    const added = await add({ intent: 'add next', ...beer })
    expect(added).toMatchObject({ status: 200, done: '「生ビール」を追加しました。', undo: { action: '/undo' } })
    expect(added.blank).toEqual({ order: 41, section })
    expect(added).not.toHaveProperty('to')
    expect(await named('生ビール')).toMatchObject([{ price: '600', section, draft: true, marks: 'アルコール' }])
  })

  test('adds a dish once when the submission is repeated by either button', async () => {
    const { add, named } = await createSite()
    const submitted = { ...beer, once: 'a' }
    const [one, other] = await Promise.all([
      add({ intent: 'add next', ...submitted }),
      add({ intent: 'add next', ...submitted }),
    ])
    expect(one.undo).toEqual(other.undo)
    expect(await add({ intent: 'add', ...submitted })).toMatchObject({ done: '追加しました。', undo: one.undo })
    expect(await named('生ビール')).toHaveLength(1)
  })

  test('rejects a dish of a section that was deleted meanwhile', async () => {
    const { db, add, named, html, dishes } = await createSite()
    await addCard(db, 'dining', { title: '梅酒', section }, author)
    const [umeshu] = await named('梅酒')
    await deleteSection(db, { id: section, version: 1 }, author)
    const rejected = await add({ intent: 'add next', ...beer })
    expect(rejected).toMatchObject({
      status: 400,
      errors: { section: ['この分類はすでに削除されています。選び直してください。'] },
    })
    expect(await named('生ビール')).toEqual([])
    expect(await html(`/dining/${umeshu?.id}/edit`)).toMatch(/<option[^>]*selected=""[^>]*>削除された分類/)
    expect(await html(`/dining/${(await dishes())[0]?.id}/edit`)).not.toContain('削除された分類')
  })

  test('keeps the deleted section of a dish when another field is saved', async () => {
    const { db, send, named, readForm } = await createSite()
    const id = await addCard(db, 'dining', { title: '梅酒', section }, author)
    await deleteSection(db, { id: section, version: 1 }, author)
    const form = await readForm(`/dining/${id}/edit`)
    expect(await send(`/dining/${id}/edit`, { ...form, intent: 'save', price: '700' })).toMatchObject({ status: 200 })
    expect(await named('梅酒')).toMatchObject([{ price: '700', section }])
  })

  test('fills the form of a duplicate, which comes directly after the original', async () => {
    const { add, dishes, named, readForm } = await createSite()
    const before = await dishes()
    const [first, second] = before as [(typeof before)[0], (typeof before)[0]]
    const form = await readForm(`/dining/new/add?from=${first.id}`)
    const { title, content, price, image } = first
    expect(form).toMatchObject({ title, content, price, image, order: '1.5' })
    expect(form).not.toHaveProperty('allergensConfirmed')
    expect(await dishes()).toEqual(before)
    await add({ ...form, intent: 'add', title: '大盛り' })
    expect((await dishes()).slice(0, 3).map(({ title }) => title)).toEqual([title, '大盛り', second.title])
    expect(await named('大盛り')).toMatchObject([{ content, price, image }])
  })

  test('places the duplicate of the last dish at the end', async () => {
    const { dishes, readForm } = await createSite()
    const last = (await dishes()).at(-1)
    expect(await readForm(`/dining/new/add?from=${last?.id}`)).toMatchObject({ order: String((last?.order ?? 0) + 1) })
  })

  test('serves no duplicate of a missing dish, of another card, or of a dish that the visitor does not see', async () => {
    const { db, as, html } = await createSite()
    const [slide] = await listCards(db, 'home', { drafts: true })
    for (const id of ['none', '', slide?.id])
      expect((await as('approved', `/dining/new/add?from=${id}`)).status, id).toBe(404)
    const hidden = { title: '秘密の皿', shownFrom: '2030-01-01T00:00' }
    const ids = [
      await addCard(db, 'dining', hidden, author),
      await addCard(db, 'dining', { title: '秘密の皿', draft: true }, author),
    ]
    for (const path of ids.flatMap((id) => [`/dining/new/add?from=${id}`, `/dining/${id}/edit`])) {
      expect((await as('guest', path)).status, path).toBe(404)
      expect(await html(path, 'guest')).not.toContain('秘密の皿')
      expect(await html(path)).toContain('秘密の皿')
    }
  })

  test('keeps the image of a duplicate when the original is removed', async () => {
    const { db, as, add, readForm, clock } = await createSite()
    const bytes = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#395' } })
      .jpeg()
      .toBuffer()
    const image = await addImage(db, bytes, 'card', { ...author, at: new Date(clock.now).toISOString() })
    const id = await addCard(db, 'dining', { title: '椀', image, order: 50 }, author)
    await add({ ...(await readForm(`/dining/new/add?from=${id}`)), intent: 'add', title: '大きな椀' })
    await deleteCard(db, { id, version: 1 }, author)
    await db.deleteFrom('cards').where('id', '=', id).execute()
    await db.deleteFrom('revisions').where('subjectId', '=', id).execute()
    await removeUnusedImages(db, recordTypes, clock.now + 2 * DAY_MS)
    expect((await as('guest', image)).status).toBe(200)
  })

  test('offers a choice of both times of display when another author has changed one of them', async () => {
    const { db, send, html } = await createSite()
    const id = await addCard(db, 'dining', { title: '松茸ご飯' }, author)
    const save = (version: string, fields: Record<string, string>) =>
      send(`/dining/${id}/edit`, { intent: 'save', version, title: '松茸ご飯', ...fields })
    const [september, december] = ['2030-09-01T17:00', '2030-12-01T00:00']
    expect(await save('1', { shownFrom: september, shownUntil: december })).toMatchObject({ status: 200 })
    expect(await save('1', { shownFrom: '2030-10-01T00:00' })).toMatchObject({
      status: 409,
      conflict: { fields: ['shownFrom', 'shownUntil'], theirs: { shownFrom: september, shownUntil: december } },
      values: { shownFrom: '2030-10-01T00:00', shownUntil: '' },
    })
    expect(
      await save('2', { shownFrom: '2030-10-01T00:00', shownUntil: december, 'choice.shownFrom': 'theirs' }),
    ).toMatchObject({ done: '変更はありませんでした。' })
    expect(await save('2', { shownFrom: december, shownUntil: december })).toMatchObject({
      status: 400,
      errors: { shownUntil: ['終わりは、始まりより後にしてください'] },
    })
    expect(await save('2', { shownFrom: '来週', shownUntil: '' })).toMatchObject({
      errors: { shownFrom: ['日付と時刻を選び直してください'] },
    })
    expect(await readCard(db, id)).toMatchObject({ shownFrom: september, shownUntil: december, version: 2 })
    expect(await html(`/dining/${id}/edit`)).toMatch(/<details[^>]*open=""[^>]*><summary>表示する期間/)
    const generic = await html(`/firestoreservice/${id}/edit`)
    expect(generic).toMatch(/表示の始まり.*2030-09-01 17:00/s)
    expect(generic).toContain('お飲みもの</option>')
    expect(await html('/firestoreservice?databasename=dining')).toContain('お飲みもの</option>')
  })

  test('offers a choice when two authors set a start and an end that contradict each other', async () => {
    const { db, send } = await createSite()
    const id = await addCard(db, 'dining', { title: '松茸ご飯' }, author)
    const save = (fields: Record<string, string>) =>
      send(`/dining/${id}/edit`, { intent: 'save', version: '1', title: '松茸ご飯', ...fields })
    const [earlier, later] = ['2030-09-01T17:00', '2030-12-01T00:00']
    await save({ shownUntil: earlier })
    expect(await save({ shownFrom: later })).toMatchObject({
      status: 409,
      conflict: { fields: ['shownFrom', 'shownUntil'], theirs: { shownFrom: '', shownUntil: earlier } },
      values: { shownFrom: later, shownUntil: '' },
    })
    expect(await readCard(db, id)).toMatchObject({ shownFrom: '', shownUntil: earlier })
  })

  test('saves the section and times of display through the generic form', async () => {
    const { db, as, post, named } = await createSite()
    const times = { shownFrom: '2030-09-01T17:00', shownUntil: '2030-12-01T00:00' }
    const fields = { title: '松茸ご飯', content: '香り高く。', section, ...times }
    await post('approved', '/firestoreservice?databasename=dining', { intent: 'add', ...fields })
    const [dish] = await named('松茸ご飯')
    expect(dish).toMatchObject({ section, ...times })
    const emptied = { intent: 'save', version: '1', ...fields, section: '', shownFrom: '', shownUntil: '' }
    expect((await post('approved', `/firestoreservice/${dish?.id}/edit`, emptied)).status).toBe(302)
    expect(await readCard(db, dish?.id ?? '')).toMatchObject({ section: '', shownFrom: '', shownUntil: '' })
    expect(await (await as('guest', '/dining')).text()).toContain('松茸ご飯')
  })
})
