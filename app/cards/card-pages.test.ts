import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { demoAccounts } from '../../server/tools/demo.ts'
import { type CollectionName, collectionNames, collections } from './card.ts'
import type { CardResult } from './card-result.ts'
import { addCard, listCards, markSoldOut, readCard, saveCard } from './cards.server.ts'

const people = ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const
type Person = (typeof people)[number]

const statuses = { guest: 401, signedIn: 403, applicant: 403, approved: 403, administrator: 302 }
const statusFor = (person: Person, collection: CollectionName) =>
  person === 'approved' && collection === 'dining' ? 302 : statuses[person]

const validFields = (collection: CollectionName): Record<string, string> =>
  collection === 'home'
    ? { order: '３', text1: '朝の湯気', text2: '', text3: '', linkUrl: '', image: '/art/story-alley-1920.jpg' }
    : { order: '3', title: '新しい記事', content: '一行目\r\n二行目', linkUrl: '/access' }

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
const sampleImages = ['/art/scene-counter-800.jpg', '/art/scene-garden-800.jpg'] as const

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const { db, post, as, clock } = sample
    const readCards = () => db.selectFrom('cards').selectAll().orderBy('id').execute()
    const readRevisions = () => db.selectFrom('revisions').select(['action', 'subjectId']).execute()
    const readPage = async (person: Person, path: string) => (await as(person, path)).text()
    const save = async (path: string, fields: Record<string, string>, person: Person = 'administrator') => {
      // Each save needs a distinct time, because the history is sorted by time.
      clock.now += 1000
      const response = await post(person, path, fields)
      return { status: response.status, to: response.headers.get('location') ?? '', text: await response.text() }
    }
    const addItem = async (fields: Record<string, unknown> = {}, collection: CollectionName = 'vbacreate') => {
      const id = await addCard(db, collection, { title: '請求書', content: '月末に', ...fields }, author)
      return { id, path: `/firestoreservice/${id}/edit`, version: '1' }
    }
    return { ...sample, readCards, readRevisions, readPage, save, addItem }
  }

  onSqlite.each(people)('lets %s add, edit and delete only in the permitted collections', async (person) => {
    const { db, readCards, save, addItem } = await createSite()
    for (const collection of collectionNames) {
      const expected = statusFor(person, collection)
      const before = await readCards()
      const added = await save(
        `/firestoreservice?databasename=${collection}`,
        { ...validFields(collection), intent: 'add', once: `add-${collection}` },
        person,
      )
      expect(added.status, `adds to ${collection}`).toBe(expected)
      if (expected === 302) {
        const [path = '', id = ''] = added.to.split('#card-')
        expect(path).toMatch(new RegExp(`^${collections[collection].path}\\?done=added&undo=[\\w-]{36}$`))
        expect(await readCard(db, id)).toMatchObject({ collection, order: 3, version: 1, draft: false })
      } else expect(await readCards()).toEqual(before)

      const { id, path } = await addItem({ text1: '朝', image: '/art/story-alley-1920.jpg' }, collection)
      const stored = await readCard(db, id)
      const change = { ...validFields(collection), version: '1', order: '77' }
      expect((await save(path, { ...change, intent: 'save' }, person)).status, `edits ${collection}`).toBe(expected)
      expect((await readCard(db, id))?.order).toBe(expected === 302 ? 77 : stored?.order)
      const deletion = { intent: 'delete', version: expected === 302 ? '2' : '1' }
      expect((await save(path, deletion, person)).status, `deletes from ${collection}`).toBe(expected)
      expect((await readCard(db, id)) === null).toBe(expected === 302)
    }
  })

  onSqlite('shows a disabled form and hides drafts when the visitor may not edit the cards', async () => {
    const { readPage, as, addItem, save, readCards } = await createSite()
    const open = await addItem({ title: '公開の題' })
    const draft = await addItem({ title: '秘密の題', content: '秘密の内容', draft: true })
    for (const person of ['guest', 'approved'] as const) {
      const form = await readPage(person, open.path)
      expect(form).toContain('この操作は管理者だけが行えます。')
      expect(form).toContain('公開の題')
      expect(form).toMatch(/<fieldset[^>]* disabled=""/)
      for (const path of [draft.path, `${draft.path}.data`, '/vbacreate', '/vbacreate.data']) {
        const response = await as(person, path)
        if (path.startsWith(draft.path)) expect(response.status).toBe(404)
        expect(await response.text(), path).not.toContain('秘密')
      }
      const before = await readCards()
      const response = await save(draft.path, { ...validFields('vbacreate'), version: '1', intent: 'save' }, person)
      expect(response.status).toBe(404)
      expect(response.text).not.toContain('秘密')
      expect(await readCards()).toEqual(before)
    }
    expect(await readPage('administrator', draft.path)).toContain('秘密の内容')
    expect(await readPage('guest', '/firestoreservice?databasename=dining')).toContain(
      'この操作はスタッフと承認されたメンバーだけが行えます。ログインしてください',
    )
  })

  onSqlite('rejects a new card when the collection in the URL does not exist', async () => {
    const { save, readCards, readRevisions, readPage } = await createSite()
    const before = [await readCards(), await readRevisions()]
    for (const name of ['members', 'events', 'revisions', '__proto__', 'constructor', 'toString', 'Dining', '']) {
      const path = `/firestoreservice?databasename=${name}`
      expect(
        (await save(path, { ...validFields('dining'), intent: 'add', collection: 'dining', databasename: name }))
          .status,
        name,
      ).toBe(400)
      expect(await readPage('administrator', path), name).toContain('どのページに追加しますか')
    }
    expect(
      (await save('/firestoreservice', { ...validFields('dining'), intent: 'add', databasename: 'dining' })).status,
    ).toBe(400)
    expect([await readCards(), await readRevisions()]).toEqual(before)
    expect(await readPage('guest', '/firestoreservice')).toContain('href="/firestoreservice?databasename=webdesign"')
  })

  onSqlite('rejects invalid input with field errors and stores nothing', async () => {
    const { save, readCards, addItem } = await createSite()
    const { path } = await addItem({ eventDay: '2026-11-20' })
    const before = await readCards()
    const wrong: [Record<string, string>, string][] = [
      [{ title: ' 　 ' }, 'タイトルを入力してください'],
      [{ content: '' }, '内容を入力してください'],
      [{ title: 'あ'.repeat(101) }, 'タイトルは100文字までです'],
      [{ order: '三つ目' }, '並び順は数字で入力してください'],
      [{ linkUrl: 'javascript:alert(1)' }, 'リンクは https:// などで始まるアドレス'],
      [{ linkUrl: '//evil.example' }, 'リンクは https:// などで始まるアドレス'],
      [{ image: 'https://evil.example/a.jpg' }, '写真を選び直してください'],
      [{ image: `/pictures/${'0'.repeat(32)}-800.jpg` }, '写真が見つかりません。もう一度お選びください'],
      [{ eventDayYear: '2026', eventDayMonth: '2', eventDayDay: '29' }, '日付を選んでください'],
      [{ eventDayYear: '2026', eventDayMonth: '', eventDayDay: '' }, '日付を選んでください'],
      [{ eventDayYear: '1849', eventDayMonth: '12', eventDayDay: '31' }, '日付は1850年から2100年までです'],
      [{ eventDayYear: '2101', eventDayMonth: '1', eventDayDay: '1' }, '日付は1850年から2100年までです'],
    ]
    for (const [fields, sentence] of wrong) {
      for (const [url, intent] of [
        [path, 'save'],
        ['/firestoreservice?databasename=vbacreate', 'add'],
      ] as const) {
        const submitted = { ...validFields('vbacreate'), linkUrl: '', ...fields, version: '1', intent }
        const { status, text } = await save(url, submitted)
        expect(status, JSON.stringify(fields)).toBe(400)
        expect(text, JSON.stringify(fields)).toContain(sentence)
      }
    }
    const home = await save('/firestoreservice?databasename=home', { intent: 'add', text2: 'あ'.repeat(41) })
    expect(home.status).toBe(400)
    for (const sentence of ['1行目を入力してください', '写真を選んでください', '2行目は40文字までです']) {
      expect(home.text).toContain(sentence)
    }
    const video = await save('/firestoreservice?databasename=videoproduction', {
      ...validFields('videoproduction'),
      intent: 'add',
      youtubeUrl: 'https://youtube.com.evil.example/watch?v=aqz-KE-bpKQ',
    })
    expect(video.text).toContain('YouTubeの動画のアドレスを入力してください')
    for (const intent of ['', 'save', 'drop']) {
      expect((await save('/firestoreservice?databasename=dining', { ...validFields('dining'), intent })).status).toBe(
        400,
      )
    }
    expect(await readCards()).toEqual(before)
  })

  onSqlite('accepts the earliest date, the latest date, a leap day and an empty date', async () => {
    const { db, save, addItem } = await createSite()
    for (const [year, month, day, stored] of [
      ['1850', '1', '1', '1850-01-01'],
      ['2100', '12', '31', '2100-12-31'],
      ['2000', '02', '29', '2000-02-29'],
      ['', '', '', null],
    ] as const) {
      const { id, path } = await addItem()
      const parts = { eventDayYear: year, eventDayMonth: month, eventDayDay: day }
      const saved = await save(path, { ...validFields('vbacreate'), ...parts, version: '1', intent: 'save' })
      expect(saved.status).toBe(302)
      expect((await readCard(db, id))?.eventDay).toBe(stored)
    }
    for (const year of ['1900', '2100']) {
      const { path } = await addItem()
      const parts = { eventDayYear: year, eventDayMonth: '2', eventDayDay: '29' }
      expect((await save(path, { ...validFields('vbacreate'), ...parts, version: '1', intent: 'save' })).status).toBe(
        400,
      )
    }
  })

  test('saves a repeated form only once and returns the same response each time', async () => {
    const { save, db } = await createSite()
    const submitted = { ...validFields('dining'), title: '栗ご飯', allergens: '卵', intent: 'add', once: 'a-key' }
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => save('/firestoreservice?databasename=dining', submitted)),
    )
    expect(new Set(responses.map(({ status, to }) => `${status} ${to}`)).size).toBe(1)
    const dishes = await listCards(db, 'dining')
    expect(dishes.filter(({ title }) => title === '栗ご飯')).toMatchObject([
      { allergens: '卵', content: '一行目\n二行目' },
    ])
    // The form in the sheet over the dining page has its own keys.
    await save('/dining/new/add', { ...submitted, once: 'k'.repeat(70) }, 'approved')
    const keys = db.selectFrom('onceKeys').select(['owner', 'key']).orderBy('owner')
    expect(await keys.execute()).toEqual([
      { owner: demoAccounts.administrator.accountId, key: 'card add dining a-key' },
      { owner: demoAccounts.approved.accountId, key: `card add dining,true ${'k'.repeat(64)}` },
    ])
  })

  test('rejects a new card that was changed after its response was lost', async () => {
    const { save, db } = await createSite()
    const submitted = { ...validFields('dining'), title: '栗ご飯', intent: 'add', once: 'a-key' }
    const path = '/firestoreservice?databasename=dining'
    await save(path, submitted)
    expect(await save(path, { ...submitted, title: '松茸ご飯' })).toMatchObject({ status: 409, to: '' })
    const titles = (await listCards(db, 'dining')).map(({ title }) => title)
    expect([titles.includes('栗ご飯'), titles.includes('松茸ご飯')]).toEqual([true, false])
  })

  test('rejects a card that was changed again after its response was lost, until the fields are compared', async () => {
    const { save, db, addItem } = await createSite()
    const { id, path, version } = await addItem({ linkUrl: '/dining' })
    const form = { title: '一つ目の題', content: '月末に', linkUrl: '/dining', intent: 'save', version }
    await save(path, { ...form, once: 'a-key' })
    expect((await save(path, { ...form, title: '二つ目の題', once: 'a-key' })).status).toBe(409)
    expect(await readCard(db, id)).toMatchObject({ title: '一つ目の題', version: 2 })
    // The version may change when the page loads its data again.
    expect((await save(path, { ...form, once: 'a-key', version: '2' })).to).toContain('done=saved')
    expect((await save(path, { ...form, title: '二つ目の題', once: 'b-key' })).status).toBe(409)
    expect((await save(path, { ...form, title: '二つ目の題', once: 'c-key', version: '2' })).to).toContain('done=saved')
    expect(await readCard(db, id)).toMatchObject({ title: '二つ目の題', version: 3 })
  })

  test('merges changes of different fields, and saves the chosen value of a conflicting field', async () => {
    const { save, db, addItem, post } = await createSite()
    const { id, path, version } = await addItem({ linkUrl: '/dining' })
    const form = { title: '請求書', content: '月末に', linkUrl: '/dining', version }
    expect((await save(path, { ...form, title: '一人目の題', intent: 'save' })).to).toContain('done=saved')
    expect((await save(path, { ...form, content: '二人目の内容', intent: 'save' })).to).toContain('done=merged')
    const repeated = await save(path, { ...form, title: '一人目の題', intent: 'save' })
    expect(repeated.to).toContain('?done=unchanged#')
    expect(await readCard(db, id)).toMatchObject({ title: '一人目の題', content: '二人目の内容', version: 3 })

    const third = { ...form, title: '三人目の題', linkUrl: '/access', intent: 'save' }
    const conflict = await post('administrator', `${path}.data`, third)
    expect(conflict.status).toBe(409)
    expect(await actionDataOf<CardResult>(conflict)).toMatchObject({
      conflict: { fields: ['title'], theirs: { title: '一人目の題' }, version: 3 },
      values: { title: '三人目の題', content: '二人目の内容' },
    })
    expect(await readCard(db, id)).toMatchObject({ title: '一人目の題', linkUrl: '/dining', version: 3 })

    const retry = { ...third, content: '二人目の内容', version: '3' }
    await save(path, { ...retry, 'choice.title': 'theirs' })
    expect(await readCard(db, id)).toMatchObject({ title: '一人目の題', linkUrl: '/access', version: 4 })
    await save(path, { ...retry, version: '4', 'choice.title': 'own' })
    expect(await readCard(db, id)).toMatchObject({ title: '三人目の題', content: '二人目の内容', version: 5 })
  })

  test.each([
    [['allergens', 'allergensConfirmed'], { allergens: '小麦' }, { allergensConfirmed: 'on' }],
    [['allergens', 'allergensConfirmed'], { allergensConfirmed: 'on' }, { allergens: '小麦' }],
    [['image', 'imageAlt'], { image: sampleImages[1] }, { imageAlt: '湯気の立つ椀' }],
    [['image', 'imageAlt'], { imageAlt: '湯気の立つ椀' }, { image: sampleImages[1] }],
  ])('reports a conflict of %j if one editor saves %j and another %j', async (names, first, second) => {
    const { save, db, addItem, post } = await createSite()
    const { id } = await addItem({ allergens: '卵', image: sampleImages[0], imageAlt: '皿' }, 'dining')
    const path = `/dining/${id}/edit`
    const fields = { title: '請求書', content: '月末に', allergens: '卵', image: sampleImages[0], imageAlt: '皿' }
    const form = { ...fields, intent: 'save', version: '1' }
    expect((await save(path, { ...form, ...first })).status).toBe(302)
    const stored = await readCard(db, id)
    const conflict = await post('administrator', `${path}.data`, { ...form, ...second })
    expect(conflict.status).toBe(409)
    // The editor chooses between the values as each author has seen them.
    expect(await actionDataOf<CardResult>(conflict)).toMatchObject({
      conflict: { fields: names, theirs: { ...fields, ...first }, version: 2 },
      values: { ...fields, ...second },
    })
    expect(await readCard(db, id)).toEqual(stored)
    expect((await save(path, { ...form, ...second, version: '2' })).status).toBe(302)
    const allergensConfirmed = 'allergensConfirmed' in second
    expect(await readCard(db, id)).toMatchObject({ ...fields, ...second, allergensConfirmed, version: 3 })
  })

  test('merges a confirmation of the same allergens that another editor has saved', async () => {
    const { save, db, addItem } = await createSite()
    const { id } = await addItem({ allergens: '卵' }, 'dining')
    const form = { intent: 'save', version: '1', title: '請求書', content: '月末に', allergens: '小麦' }
    await save(`/dining/${id}/edit`, form)
    expect((await save(`/dining/${id}/edit`, { ...form, allergensConfirmed: 'on' })).to).toContain('done=merged')
    expect(await readCard(db, id)).toMatchObject({ allergens: '小麦', allergensConfirmed: true })
  })

  test('reports a conflict if the allergens change again after an editor has chosen those of another', async () => {
    const { db, addItem, post } = await createSite()
    const { id } = await addItem({ allergens: '卵' }, 'dining')
    await saveCard(db, { id, version: 1 }, { allergens: '小麦' }, author)
    await saveCard(db, { id, version: 2 }, { allergens: 'そば' }, author)
    const chosen = { intent: 'save', version: '2', title: '請求書', content: '月末に', 'choice.allergens': 'theirs' }
    const conflict = await post('administrator', `/dining/${id}/edit`, { ...chosen, allergensConfirmed: 'on' })
    expect(conflict.status).toBe(409)
    expect(await readCard(db, id)).toMatchObject({ allergens: 'そば', allergensConfirmed: false, version: 3 })
  })

  test('deletes a card only when the submitted version is current, and offers an undo', async () => {
    const { save, db, addItem, readPage, post } = await createSite()
    const { id, path } = await addItem({ title: '消す記事' })
    await save(path, { title: '変わった記事', content: '月末に', version: '1', intent: 'save' })
    const stale = await post('administrator', `${path}.data`, { intent: 'delete', version: '1' })
    expect(stale.status).toBe(409)
    expect(await actionDataOf(stale)).toMatchObject({ changed: { name: '変わった記事', version: 2 } })
    const deletion = { intent: 'delete', version: '2', once: 'yes' }
    const { status, to } = await save(path, deletion)
    expect(status).toBe(302)
    expect(await readCard(db, id)).toBeNull()
    // A repeated request with the same idempotency key returns the first response. Every other request returns a 404.
    expect(await save(path, deletion)).toMatchObject({ status, to })
    expect((await save(path, { ...deletion, once: 'another' })).status).toBe(404)
    expect((await save(path, deletion, 'guest')).status).toBe(404)
    expect(await readPage('administrator', to)).toContain('削除しました。')

    const undo = new URLSearchParams(to.split('?')[1]).get('undo') ?? ''
    for (const [person, expected] of [
      ['guest', 401],
      ['signedIn', 403],
      ['applicant', 403],
      ['approved', 403],
      ['administrator', 200],
    ] as const) {
      const response = await save('/undo', { save: undo }, person)
      expect(response.status, person).toBe(expected)
      expect((await readCard(db, id)) === null, person).toBe(expected !== 200)
    }
    expect((await save('/undo', { save: undo })).status).toBe(409)
    expect((await save('/undo', { save: 'none' })).status).toBe(404)
  })

  test('lets an approved member undo the addition of a dish, but denies the undo of a save that includes other cards', async () => {
    const { save, db, readPage } = await createSite()
    const added = await save(
      '/firestoreservice?databasename=dining',
      { ...validFields('dining'), intent: 'add' },
      'approved',
    )
    const [query = '', id = ''] = (added.to.split('?')[1] ?? '').split('#card-')
    expect(await readPage('approved', added.to)).toContain('追加しました。')
    const undo = new URLSearchParams(query).get('undo') ?? ''
    expect((await save('/undo', { save: undo }, 'approved')).status).toBe(200)
    expect(await readCard(db, id)).toBeNull()

    // The dish is the first card by ID. An approved member may edit the dish, but not the second card.
    const dish = await addCard(db, 'dining', { title: '先付', content: '胡麻豆腐' }, author, { id: '0' })
    const work = await addCard(db, 'vbacreate', { title: '請求書', content: '月末に' }, author, { id: '1' })
    await db.updateTable('revisions').set({ saveId: 'both' }).where('subjectId', 'in', [dish, work]).execute()
    expect((await save('/undo', { save: 'both' }, 'approved')).status).toBe(403)
    for (const id of [dish, work]) expect(await readCard(db, id)).toMatchObject({ id, version: 1 })
  })

  test('reverts a card only when the visitor may edit the card', async () => {
    const { save, db, addItem } = await createSite()
    const card = await addItem({ title: '元の題' })
    await save(card.path, { title: '新しい題', content: '月末に', version: '1', intent: 'save' })
    const { id: revision } = await db
      .selectFrom('revisions')
      .select('id')
      .where('subjectId', '=', card.id)
      .where('action', '=', 'add')
      .executeTakeFirstOrThrow()
    const revert = { revision }
    expect((await save('/undo', revert, 'approved')).status).toBe(403)
    expect(await readCard(db, card.id)).toMatchObject({ title: '新しい題' })
    expect((await save('/undo', revert)).to).toMatch(new RegExp(`^/vbacreate\\?done=put\\+back.*#card-${card.id}$`))
    expect(await readCard(db, card.id)).toMatchObject({ title: '元の題', version: 3 })
  })

  onSqlite('lists the date and the publication of a card in its history', async () => {
    const { as, db, addItem } = await createSite()
    const { id } = await addItem()
    await saveCard(db, { id, version: 1 }, { eventDay: '2026-11-20', draft: true }, author)
    const { entries } = await (await as('administrator', `/history/card/${id}`)).json()
    expect(entries[0].changes).toEqual([
      { label: '日付', before: '', after: '2026年11月20日' },
      { label: '下書き', before: '公開', after: '下書き' },
    ])
  })

  onSqlite('lists the changed fields and the sold-out state in the history of a dish', async () => {
    const { as, db } = await createSite()
    const id = await addCard(db, 'dining', { title: '先付', content: '胡麻豆腐', price: '800' }, author)
    await saveCard(db, { id, version: 1 }, { price: '900' }, author)
    await markSoldOut(db, id, true, author)
    const { entries } = await (await as('approved', `/history/card/${id}`)).json()
    expect(entries.map(({ changes }: { changes: unknown }) => changes).slice(0, 2)).toEqual([
      [{ label: '本日売り切れ', before: '', after: 'はい' }],
      [{ label: '価格（税込・円）', before: '800', after: '900' }],
    ])
  })

  onSqlite('retains the sold-out state of a dish when the dish is reverted', async () => {
    const { as, db, save } = await createSite()
    const id = await addCard(db, 'dining', { title: '先付', content: '胡麻豆腐', price: '800' }, author)
    await saveCard(db, { id, version: 1 }, { price: '900' }, author)
    await markSoldOut(db, id, true, author)
    const { entries } = await (await as('administrator', `/history/card/${id}`)).json()
    expect((await save('/undo', { revision: entries.at(-1).id })).status).toBeLessThan(400)
    expect(await readCard(db, id)).toMatchObject({ price: '800', soldOutAt: author.at })
  })

  test('serves each card form at its URL, and logs a 404 when the card is missing', async () => {
    const { as, readPage, db, logged } = await createSite()
    const [card] = await listCards(db, 'tennisrelated')
    const id = card?.id ?? ''
    for (const path of [`/firestoreservice/${id}/edit`, `/tennisrelated/${id}/edit`]) {
      expect(await readPage('administrator', path)).toContain('テニスサークルの編集')
    }
    expect(await readPage('administrator', '/tennisrelated/new/add')).toContain('テニスサークルの追加')
    expect(await readPage('administrator', '/firestoreservice/new/add?databasename=home')).toContain('スライドの追加')
    expect(await readPage('administrator', `/tennisrelated/${id}/show`)).toContain(`id="card-${id}"`)
    // The form proposes a position after all other dishes, including drafts.
    await addCard(db, 'dining', { title: '先付', content: '胡麻豆腐', order: 98, draft: true }, author)
    expect(await readPage('administrator', '/firestoreservice?databasename=dining')).toMatch(
      /<input[^>]*name="order"[^>]*value="99"/,
    )
    // A page sorted by event day has no proposed position.
    expect(await readPage('administrator', '/firestoreservice?databasename=vbacreate')).toMatch(
      /<input[^>]*name="order"[^>]*value=""/,
    )
    expect(await readPage('administrator', `/firestoreservice/${id}/edit`)).toMatch(
      /作成 (?:<!-- -->)?2026年11月20日 12:00/,
    )
    for (const path of [
      '/firestoreservice/none/edit',
      '/firestoreservice/none/show',
      `/socialefficiency/${id}/edit`,
      '/tennisrelated/none/edit',
      `/firestoreservice/${'x'.repeat(2000)}/edit`,
    ]) {
      const response = await as('administrator', path)
      expect(response.status, path).toBe(404)
      expect(await response.text()).toContain('見つかりません')
    }
    const missingIds = logged.filter(({ msg }) => msg === 'missing document').map((entry) => entry.id)
    expect(missingIds).toEqual(['none', 'none', 'x'.repeat(64)])
  })
})
