import { expect, test, vi } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { WAIT_OPTIONS } from '../../db/testing-wait-options.ts'
import { dataPathOf, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { addCard, deleteCard, listCards, reorderCards } from '../cards/cards.server.ts'
import { toSequence } from '../cards/reorder.ts'
import { groupBySection } from '../cards/sections-of-cards.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { saveSpecialDays } from '../hours/business-days.server.ts'
import { deleteSection, hideSection, listSections, saveSection } from '../sections/sections.server.ts'

const author = { accountId: 'owner', at: '2026-11-20T03:00:00.000Z' }
const newId = () => crypto.randomUUID()

onEachEngine((fresh) => {
  const createMenu = async () => {
    const db = await fresh()
    const sections = [newId(), newId()] as const
    for (const [index, id] of sections.entries())
      await saveSection(db, id, { version: 0, facts: { name: `分類${index + 1}` } }, author)
    const dishes: string[] = []
    for (const [order, section] of ['', sections[0], sections[0], sections[1]].entries())
      dishes.push(await addCard(db, 'dining', { title: `品${order}`, order: order + 1, section }, author))
    const readSequence = async () =>
      toSequence(groupBySection(await listSections(db), await listCards(db, 'dining', { drafts: true })))
    const [one, two] = sections.map((id) => `s:${id}`) as [string, string]
    const [none, a, b, c] = dishes as [string, string, string, string]
    return { db, sections, readSequence, one, two, none, a, b, c, menu: [none, one, a, b, two, c] }
  }

  test('moves dishes and sections in one save, and undoes nothing of other records', async () => {
    const { db, readSequence, menu, one, two, none, a, b, c } = await createMenu()
    expect(await readSequence()).toEqual(menu)
    const wanted = [two, c, a, one, none, b]
    expect(await reorderCards(db, 'dining', { seen: menu, wanted }, author)).toEqual({ ok: expect.any(String) })
    expect(await readSequence()).toEqual(wanted)
    expect(await reorderCards(db, 'dining', { seen: wanted, wanted }, author)).toEqual({ ok: null })
    const stale = { seen: menu, wanted: menu.toReversed() }
    expect(await reorderCards(db, 'dining', stale, author)).toEqual({ error: 'conflict' })
    expect(await readSequence()).toEqual(wanted)
  })

  test('accepts an order that follows the saves of the own tab, but none that other saves precede', async () => {
    const { db, readSequence, menu, one, two, none, a, b, c } = await createMenu()
    const first = await reorderCards(db, 'dining', { seen: menu, wanted: [one, a, b, none, two, c] }, author)
    const late = { seen: menu, wanted: [none, two, c, one, a, b] }
    expect(await reorderCards(db, 'dining', late, { ...author, accountId: 'other' })).toEqual({ error: 'conflict' })
    expect(await reorderCards(db, 'dining', { ...late, own: [first.ok ?? ''] }, author)).toMatchObject({
      ok: expect.any(String),
    })
    expect(await readSequence()).toEqual(late.wanted)
    const third = newId()
    await saveSection(db, third, { version: 0, facts: { name: '新しい分類' } }, author)
    expect(await reorderCards(db, 'dining', { seen: late.wanted, wanted: menu }, author)).toEqual({ error: 'conflict' })
    expect(await readSequence()).toEqual([...late.wanted, `s:${third}`])
  })

  test('keeps the dishes of a deleted section, which return with the section', async () => {
    const { db, sections, readSequence, menu, two, none, a, b, c } = await createMenu()
    await deleteSection(db, { id: sections[0], version: 1 }, author)
    expect(await readSequence()).toEqual([none, a, b, two, c])
    await reorderCards(db, 'dining', { seen: [none, a, b, two, c], wanted: [none, b, a, two, c] }, author)
    await saveSection(db, sections[0], { version: 0, facts: { name: '戻した分類' } }, author)
    expect(await readSequence()).toEqual([none, two, c, menu[1], b, a])
  })

  test('moves a dish into a section that another editor hides at the same time', async () => {
    const { db, sections, readSequence, menu, one, two, none, a, b, c } = await createMenu()
    const wanted = [none, one, a, b, c, two]
    const moved = await overtaken(
      db,
      (trx) => hideSection(trx, sections[0], '2026-11-21T11:00', author),
      () => reorderCards(db, 'dining', { seen: menu, wanted }, { ...author, accountId: 'other' }),
    )
    expect(moved).toEqual({ ok: expect.any(String) })
    expect(await readSequence()).toEqual(wanted)
    expect((await listSections(db))[0]).toMatchObject({ hiddenUntil: '2026-11-21T11:00', order: 1 })
  })

  test('rejects an order if another editor deletes a dish or section at the same time', async () => {
    const { db, sections, readSequence, menu, one, two, none, a, b, c } = await createMenu()
    const wanted = [none, one, b, a, two, c]
    const order = () => reorderCards(db, 'dining', { seen: menu, wanted }, { ...author, accountId: 'other' })
    expect(await overtaken(db, (trx) => deleteSection(trx, { id: sections[1], version: 1 }, author), order)).toEqual({
      error: 'conflict',
    })
    expect(await readSequence()).toEqual([none, c, one, a, b])
    const seen = [none, c, one, a, b]
    const later = () => reorderCards(db, 'dining', { seen, wanted: seen.toReversed() }, author)
    expect(await overtaken(db, (trx) => deleteCard(trx, { id: a, version: 1 }, author), later)).toEqual({
      error: 'conflict',
    })
    expect(await readSequence()).toEqual([none, c, one, b])
  })

  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const { db, post, as } = sample
    const id = newId()
    const added = await post('approved', '/dining/sections/new/add', {
      id,
      version: '0',
      name: 'お飲みもの',
      served: 'any',
    })
    expect(added.status).toBe(302)
    const html = async (person: Parameters<typeof as>[0], path = '/dining') => (await as(person, path)).text()
    const section = async () => (await listSections(db)).find((each) => each.id === id)
    return { ...sample, id, html, section, edit: `/dining/sections/${id}/edit` }
  }

  test('adds a section once, also if the form is sent again', async () => {
    const { db, post, id } = await site()
    const fields = { id, version: '0', name: 'お飲みもの', served: 'any' }
    expect((await post('approved', '/dining/sections/new/add', fields)).status).toBe(302)
    expect(await listSections(db)).toHaveLength(1)
  })

  test.each([
    ['guest', 401],
    ['signedIn', 403],
    ['applicant', 403],
  ] as const)('lets the visitor %s neither see the form of a section nor change it', async (person, status) => {
    const { post, html, section, edit, id } = await site()
    const before = await section()
    expect(await html(person, edit)).not.toContain('name="introduction"')
    for (const [path, fields] of [
      [edit, { version: '1', name: '別の名前', served: 'any' }],
      [edit, { intent: 'delete', version: '1' }],
      ['/dining/sections/new/add', { id: newId(), version: '0', name: '別の名前', served: 'any' }],
      ['/dining', { intent: 'hide section', id }],
    ] as const)
      expect((await post(person, path, fields)).status).toBe(status)
    expect(await section()).toEqual(before)
  })

  test.each([
    [{ name: ' 　' }, 'name', '分類の名前を入力してください'],
    [{ name: 'あ'.repeat(41) }, 'name', '分類の名前は40文字までです'],
    [{ served: 'always' }, 'served', 'ご提供の時間を選んでください'],
    [
      { served: 'own', servedFrom: '11:00', servedUntil: '11:00' },
      'servedFrom',
      '始まりと終わりの時刻を選んでください',
    ],
    [{ servedFrom: '25:00' }, 'servedFrom', '時刻を選び直してください'],
    [{ shownFrom: '2026-02-30T10:00' }, 'shownFrom', '日付と時刻を選び直してください'],
    [
      { shownFrom: '2026-12-01T10:00', shownUntil: '2026-12-01T10:00' },
      'shownUntil',
      '終わりは、始まりより後にしてください',
    ],
  ])('rejects the values %j of a section with a sentence by the field', async (values, field, sentence) => {
    const { post, section, edit } = await site()
    const before = await section()
    const answer = await post('approved', dataPathOf(edit), { version: '1', name: '名前', served: 'any', ...values })
    expect(answer.status).toBe(400)
    expect((await actionDataOf<SaveResult>(answer)).errors).toEqual({ [field]: [sentence] })
    expect(await section()).toEqual(before)
  })

  test('merges the changes of two editors, and reports a conflict in one field', async () => {
    const { post, section, edit } = await site()
    expect((await post('approved', edit, { version: '1', name: 'ドリンク' })).status).toBe(302)
    expect(
      (await post('administrator', edit, { version: '1', name: 'お飲みもの', introduction: '氷なしもできます。' }))
        .status,
    ).toBe(302)
    expect(await section()).toMatchObject({ name: 'ドリンク', introduction: '氷なしもできます。' })
    const conflict = await post('administrator', dataPathOf(edit), { version: '1', name: '飲料' })
    expect(conflict.status).toBe(409)
    expect(await actionDataOf(conflict)).toMatchObject({ newer: { clashes: ['name'] }, values: { name: '飲料' } })
    expect(await section()).toMatchObject({ name: 'ドリンク' })
  })

  test('reports a conflict if two editors set an end of the display that is before the start', async () => {
    const { post, section, edit } = await site()
    const times = { version: '1', name: 'お飲みもの', served: 'any' }
    await post('approved', edit, { ...times, shownUntil: '2026-12-01T10:00' })
    const late = { ...times, shownFrom: '2026-12-24T17:00' }
    const conflict = await post('administrator', dataPathOf(edit), late)
    expect(conflict.status).toBe(409)
    expect(await actionDataOf(conflict)).toMatchObject({
      newer: { version: 2, clashes: ['shownFrom', 'shownUntil'], values: { shownUntil: '2026-12-01T10:00' } },
      values: { shownFrom: '2026-12-24T17:00', shownUntil: '' },
    })
    expect(await section()).toMatchObject({ shownFrom: '', shownUntil: '2026-12-01T10:00' })
    const repeated = { ...late, version: '2', shownUntil: '2026-12-01T10:00' }
    const answer = await post('administrator', dataPathOf(edit), repeated)
    expect((await actionDataOf<SaveResult>(answer)).errors).toEqual({
      shownUntil: ['終わりは、始まりより後にしてください'],
    })
    expect((await post('administrator', edit, { ...repeated, shownUntil: '2026-12-31T10:00' })).status).toBe(302)
    expect(await section()).toMatchObject({ shownFrom: '2026-12-24T17:00', shownUntil: '2026-12-31T10:00' })
  })

  test('opens the times of display when a conflict is in an emptied time', async () => {
    const { post, section, edit } = await site()
    const form = { name: 'お飲みもの', served: 'any', shownUntil: '2026-12-01T10:00' }
    await post('approved', edit, { ...form, version: '1' })
    await post('approved', edit, { ...form, version: '2', shownUntil: '2026-12-31T10:00' })
    const conflict = await post('administrator', edit, { ...form, version: '2', shownUntil: '' })
    expect(await conflict.text()).toMatch(/<details[^>]* open=""[^>]*><summary>表示する期間.*2026-12-31 10:00<\/span>/s)
    expect([conflict.status, (await section())?.shownUntil]).toEqual([409, '2026-12-31T10:00'])
  })

  test('reports a conflict if one editor changes the kind and another the times at which a section is served', async () => {
    const { post, section, edit } = await site()
    const own = { name: 'お飲みもの', served: 'own', servedFrom: '17:00', servedUntil: '21:00' }
    expect((await post('approved', edit, { ...own, version: '1' })).status).toBe(302)
    expect((await post('approved', edit, { ...own, version: '2', served: 'any' })).status).toBe(302)
    const late = { ...own, version: '2', servedUntil: '22:00' }
    const conflict = await post('administrator', dataPathOf(edit), late)
    expect(conflict.status).toBe(409)
    expect(await actionDataOf(conflict)).toMatchObject({
      newer: { version: 3, clashes: ['served', 'servedUntil'], values: { served: 'any', servedUntil: '21:00' } },
      values: { served: 'own', servedUntil: '22:00' },
    })
    expect(await section()).toMatchObject({ served: 'any', servedUntil: '21:00' })
    expect((await post('administrator', edit, { ...late, version: '3' })).status).toBe(302)
    expect(await section()).toMatchObject({ served: 'own', servedUntil: '22:00' })
  })

  test('hides a section until the next opening, shows it again, deletes it to the bin and restores it', async () => {
    const { db, post, as, html, section, edit, id, clock } = await site()
    const [dish] = await listCards(db, 'dining')
    const saved = await post('approved', `/dining/${dish?.id}/edit`, {
      intent: 'save',
      version: '1',
      title: '生ビール',
      section: id,
    })
    expect(saved.status).toBe(302)
    expect(await html('guest')).toContain('生ビール')

    const { entries } = await (await as('approved', `/history/card/${dish?.id}`)).json()
    expect(entries[0].changes).toContainEqual({ label: '分類', before: '', after: 'お飲みもの' })
    expect(JSON.stringify(entries)).not.toContain(id)

    const hidden = await post('approved', dataPathOf('/dining'), { intent: 'hide section', id })
    const { done, undo } = await actionDataOf<SaveResult>(hidden)
    expect(done).toMatch(/^11\/2\d \d\d:\d\dまで、お客さまに表示しません。$/)
    const guestPage = await html('guest')
    expect(guestPage).not.toContain('生ビール')
    expect(guestPage).not.toContain('お飲みもの')
    const calls = await (await as('guest', '/api/collections/dining')).text()
    expect(calls).not.toContain('生ビール')
    expect(await html('approved')).toContain('生ビール')
    clock.now += 3 * 24 * 60 * 60 * 1000
    expect(await html('guest')).toContain('生ビール')
    clock.now -= 3 * 24 * 60 * 60 * 1000
    expect((await post('approved', '/undo', undo?.fields ?? {})).status).toBeLessThan(400)
    expect(await html('guest')).toContain('生ビール')

    const version = () => section().then((now) => String(now?.version))
    expect((await post('administrator', edit, { intent: 'delete', version: '1' })).status).toBe(409)
    expect((await post('administrator', edit, { intent: 'delete', version: await version() })).status).toBe(302)
    expect(await listSections(db)).toEqual([])
    expect(await html('guest')).toContain('生ビール')
    expect((await post('approved', edit, { version: '1', name: 'あ' })).status).toBe(404)
    expect(await html('approved', '/bin')).toContain('お飲みもの')
    expect((await post('approved', '/bin', { kind: 'menuSection', id })).status).toBe(200)
    expect(await section()).toMatchObject({ name: 'お飲みもの' })
    expect((await listCards(db, 'dining')).find(({ title }) => title === '生ビール')).toMatchObject({ section: id })
  })

  test('hides a section after midnight until the next evening', async () => {
    const { db, post, section, id, clock } = await site()
    const days = ['2026-11-20', '2026-11-21', '2026-11-22']
    const slots = [{ start: '18:00', end: '02:00' }, null]
    await saveSpecialDays(db, { days, reason: '営業時間変更', slots }, new Map(), author)
    clock.now = Date.parse('2026-11-21T00:30+09:00')
    expect((await post('approved', '/dining', { intent: 'hide section', id })).status).toBe(200)
    expect(await section()).toMatchObject({ hiddenUntil: '2026-11-21T18:00' })
  })

  test('warns beside the deletion of a hidden section that its dishes will be visible to guests', async () => {
    const { db, post, html, edit, id } = await site()
    const warning = async () => {
      const [, reason] =
        /現在、お客さまに表示していません（([^）]*)）。削除すると、中の料理は/.exec(await html('approved', edit)) ?? []
      return reason
    }
    expect(await warning()).toBeUndefined()
    await addCard(db, 'dining', { title: '秘密のおせち', section: id }, author)
    const values = { name: 'お飲みもの', served: 'any' }
    await post('approved', edit, { ...values, version: '1', draft: 'on' })
    expect(await warning()).toBe('下書き')
    await post('approved', edit, { ...values, version: '2', shownFrom: '2030-09-01T17:00' })
    expect(await warning()).toBe('表示期間外')
    await post('approved', edit, { ...values, version: '3' })
    expect(await warning()).toBeUndefined()
    await post('approved', '/dining', { intent: 'hide section', id })
    expect(await warning()).toMatch(/^11\/2\d \d\d:\d\dまでお休み$/)
    expect(await html('guest', edit)).not.toContain('お客さまに表示していません')
    expect(await html('guest')).not.toContain('秘密のおせち')
    expect((await post('approved', edit, { intent: 'delete', version: '5' })).status).toBe(302)
    expect(await html('guest')).toContain('秘密のおせち')
  })

  test('rejects a dish for a section that was deleted meanwhile, and keeps the input', async () => {
    const { db, post, edit, id } = await site()
    await post('approved', edit, { intent: 'delete', version: '1' })
    const beer = { intent: 'add', title: '生ビール', price: '600', section: id }
    const answer = await post('approved', dataPathOf('/dining/new/add'), beer)
    expect(answer.status).toBe(400)
    expect((await actionDataOf<SaveResult>(answer)).errors).toEqual({
      section: ['この分類はすでに削除されています。選び直してください。'],
    })
    expect((await listCards(db, 'dining')).some(({ title }) => title === '生ビール')).toBe(false)
  })

  test('publishes the topic dining when a section changes', async () => {
    const { post, edit, live } = await site()
    const news = vi.fn()
    live.subscribe(news)
    await post('approved', edit, { version: '1', name: 'ドリンク' })
    await vi.waitFor(() => expect(news).toHaveBeenCalled(), WAIT_OPTIONS)
    expect(JSON.stringify(news.mock.calls)).toContain('dining')
  })
})
