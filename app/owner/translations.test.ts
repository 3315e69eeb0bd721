import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { dataPathOf, sampleSite } from '../../server/testing.ts'
import { actionDataOf, loaderDataOf } from '../../server/testing-action-data.ts'
import type { Person } from '../../server/tools/demo.ts'
import { Event } from '../calendar/event.ts'
import { addEvent } from '../calendar/events.server.ts'
import { collectionNames } from '../cards/card.ts'
import { addCard, deleteCard, listCards, saveCard } from '../cards/cards.server.ts'
import type { SettingsResult } from '../forms/settings-form.tsx'
import { noSlots } from '../hours/business-day.ts'
import { saveSpecialDays } from '../hours/business-days.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { readTranslations } from '../translations/translations.server.ts'

const author = { accountId: 'demo-administrator', at: '2026-11-20T00:00:00.000Z' }
const STALE = '日本語のあとに変わっていません'

onEachEngine((fresh) => {
  const createSite = async ({ otherLanguages = true } = {}) => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    await sample.staff()
    const { db, post, as } = sample
    const { version } = await readSiteToEdit(db)
    if (otherLanguages) await saveSite(db, { version, facts: { otherLanguages } }, author)
    const id = await addCard(
      db,
      'dining',
      { title: '湯葉のお椀', content: '引き上げたばかり', price: '小 800、大 1200' },
      author,
    )
    const send = async (fields: Record<string, string>, { group = 'dining', person = 'approved' as Person } = {}) => {
      const response = await post(person, dataPathOf(`/translations/en/${group}`), fields)
      return { status: response.status, ...(await actionDataOf<SettingsResult>(response)) }
    }
    const save = async (fields: Record<string, string>, version = 0) => send({ version: `${version}`, ...fields })
    const undo = (result: SettingsResult) => post('approved', dataPathOf('/undo'), result.undo?.fields ?? {})
    const english = async (path = '/en/dining') => (await sample.get(path)).text()
    const editor = async (group = 'dining', person: Person = 'approved') =>
      (await as(person, `/translations/en/${group}`)).text()
    const changeDish = async (fields: object) => {
      const dish = (await listCards(db, 'dining', { drafts: true })).find((each) => each.id === id)
      await saveCard(db, { id, version: dish?.version ?? 0 }, fields, author)
    }
    const stored = async () => (await readTranslations(db, 'en', 'dining')).translations
    return { ...sample, id, send, save, undo, english, editor, changeDish, stored }
  }

  test('saves only the translated texts, shows them to guests, and undoes the save', async () => {
    const { id, save, undo, english, stored, live } = await createSite()
    const published: unknown[] = []
    live.subscribe((event) => published.push(event))
    const saved = await save({ [`${id}.title`]: ' Yuba soup ', [`${id}.content`]: '', [`${id}.price`]: 'Small/Large' })
    expect(saved).toMatchObject({ status: 200, done: '保存しました。' })
    expect(published).toEqual([{ changed: ['dining'] }])
    expect(await stored()).toEqual({
      [`${id}.title`]: { text: 'Yuba soup', source: '湯葉のお椀', at: expect.any(String) },
      [`${id}.price`]: { text: 'Small/Large', source: '小 / 大', at: expect.any(String) },
    })
    const html = await english()
    expect(html).toContain('Yuba soup')
    expect(html).toContain('Small')
    expect(html).not.toContain('湯葉のお椀')
    expect((await undo(saved)).status).toBe(200)
    expect(await stored()).toEqual({})
    expect(await english()).toContain('湯葉のお椀')
  })

  test('merges the translations of two editors, but not two translations of one text', async () => {
    const { id, save, stored } = await createSite()
    await save({ [`${id}.title`]: 'Yuba soup', [`${id}.content`]: '' })
    expect(await save({ [`${id}.title`]: '', [`${id}.content`]: 'Freshly made' })).toMatchObject({ status: 200 })
    const conflict = await save({ [`${id}.title`]: 'Tofu skin soup', [`${id}.content`]: '' })
    expect(conflict).toMatchObject({
      status: 409,
      values: { [`${id}.title`]: 'Tofu skin soup', [`${id}.content`]: 'Freshly made' },
      newer: { version: 2, clashes: [`${id}.title`], values: { [`${id}.title`]: 'Yuba soup' } },
    })
    expect(await stored()).toMatchObject({
      [`${id}.title`]: { text: 'Yuba soup' },
      [`${id}.content`]: { text: 'Freshly made' },
    })
    expect(await save({ [`${id}.title`]: 'Yuba soup' })).toMatchObject({ done: '変更はありませんでした。' })
  })

  test('shows a translation as stale after the Japanese text has changed, until the text returns', async () => {
    const { id, save, editor, changeDish, as } = await createSite()
    await save({ [`${id}.title`]: 'Yuba soup' })
    expect(await editor()).not.toContain(STALE)
    await changeDish({ title: '湯葉のすまし' })
    const html = await editor()
    expect(html).toContain(STALE)
    expect(html).toContain('<del lang="ja">湯葉のお椀</del>')
    const today = async (person: Person) => (await as(person, '/today')).text()
    expect(await today('approved')).toContain(`/translations/en/dining#${id}`)
    expect(await today('applicant')).not.toContain('/translations/')
    expect(await (await as('approved', '/translations')).text()).toContain(`${STALE}：1件`)
    await changeDish({ title: '湯葉のお椀' })
    expect(await editor()).not.toContain(STALE)
    expect(await today('approved')).not.toContain('/translations/en')
  })

  test('updates the list on /today after a change of each text that the visitor may translate', async () => {
    const { as } = await createSite()
    const topicsOf = async (person: Person) =>
      (await loaderDataOf<{ textTopics: string[] }>(await as(person, '/today.data'), 'owner/today-page')).textTopics
    const topicsOfStaff = ['dining', 'notices', 'events', 'specialDays']
    expect((await topicsOf('approved')).sort()).toEqual(topicsOfStaff.toSorted())
    const topicsOfAdministrator = [...topicsOfStaff, 'site', ...collectionNames]
    expect((await topicsOf('administrator')).sort()).toEqual([...new Set(topicsOfAdministrator)].sort())
    expect(await topicsOf('applicant')).toEqual([])
  })

  test('makes a stale translation current when an editor confirms it', async () => {
    const { id, save, editor, changeDish, stored } = await createSite()
    await save({ [`${id}.title`]: 'Yuba soup', [`${id}.content`]: 'Freshly made' })
    await changeDish({ title: '湯葉のすまし', content: 'できたて' })
    await save(
      { [`${id}.title`]: 'Yuba soup', [`${id}.content`]: 'Freshly made', [`${id}.title.source`]: '湯葉のすまし' },
      1,
    )
    expect(await stored()).toMatchObject({
      [`${id}.title`]: { text: 'Yuba soup', source: '湯葉のすまし' },
      [`${id}.content`]: { text: 'Freshly made', source: '引き上げたばかり' },
    })
    expect((await editor()).split('このままでよい')).toHaveLength(2)
  })

  test('stores the Japanese text that the editor saw when it has changed since', async () => {
    const { id, save, editor, changeDish, stored } = await createSite()
    await changeDish({ title: '湯葉のすまし', content: 'できたて' })
    const seen = { [`${id}.title.source`]: '湯葉のお椀', [`${id}.content.source`]: 'できたて' }
    await save({ [`${id}.title`]: 'Yuba soup', [`${id}.content`]: 'Freshly made', ...seen })
    expect(await stored()).toMatchObject({
      [`${id}.title`]: { text: 'Yuba soup', source: '湯葉のお椀' },
      [`${id}.content`]: { text: 'Freshly made', source: 'できたて' },
    })
    const html = await editor()
    expect(html.split(STALE)).toHaveLength(2)
    expect(html).toContain('<del lang="ja">湯葉のお椀</del>')
  })

  test('keeps the Japanese text that the editor saw when another editor was faster', async () => {
    const { id, save, changeDish } = await createSite()
    await save({ [`${id}.title`]: 'Yuba soup' })
    await changeDish({ title: '湯葉のすまし' })
    const seen = { [`${id}.title.source`]: '湯葉のお椀' }
    expect(await save({ [`${id}.title`]: 'Tofu skin soup', ...seen })).toMatchObject({ status: 409, values: seen })
  })

  test('saves nothing and names the field if a translation is invalid', async () => {
    const { id, save, stored } = await createSite()
    const rejected = await save({
      [`${id}.title`]: 'あ'.repeat(201),
      [`${id}.content`]: 'fine',
      [`${id}.price`]: 'Small',
    })
    expect(rejected).toMatchObject({
      status: 400,
      errors: {
        [`${id}.title`]: ['品名は200文字までです'],
        [`${id}.price`]: ['日本語と同じ数の名前（2つ）を「 / 」で区切って入力してください'],
      },
    })
    expect(await stored()).toEqual({})
    expect(await save({ 'none.title': 'Nothing', [`${id}.price`]: '' })).toMatchObject({ status: 200 })
    expect(await stored()).toEqual({})
  })

  test('saves the translations of 200 dishes that were all typed at once', async () => {
    const { db, save, stored } = await createSite()
    for (let index = 0; index < 200; index += 1)
      await addCard(db, 'dining', { title: `皿${index}`, content: '季節の品', imageAlt: '器' }, author)
    const dishes = (await listCards(db, 'dining')).filter(({ title }) => title.startsWith('皿'))
    const texts = dishes.flatMap(({ id, title, content, imageAlt }) =>
      Object.entries({ title, content, imageAlt }).map(([name, japanese]) => ({ key: `${id}.${name}`, japanese })),
    )
    const fields = texts.flatMap(({ key, japanese }) => [
      [key, 'Dish'],
      [`${key}.source`, japanese],
    ])
    expect(await save(Object.fromEntries(fields))).toMatchObject({ done: '保存しました。' })
    expect(Object.keys(await stored())).toHaveLength(600)
  })

  test('permits each group to the visitors who may change its Japanese texts', async () => {
    const { send, editor, as, post } = await createSite()
    const shopGroups = ['dining', 'events', 'days']
    for (const group of [...shopGroups, 'site', 'pages', 'home']) {
      const isShop = shopGroups.includes(group)
      for (const person of ['applicant', 'approved', 'editor', 'manager'] as const) {
        const isPermitted = person === 'manager' || (isShop && person !== 'applicant')
        expect((await send({ version: '0' }, { group, person })).status, `${group} ${person}`).toBe(
          isPermitted ? 200 : 403,
        )
        if (!isPermitted) expect(await editor(group, person)).toContain('この操作は')
      }
      expect((await post('guest', dataPathOf(`/translations/en/${group}`), {})).status).toBe(401)
    }
    const list = async (person: Person) => (await as(person, '/translations')).text()
    expect(await list('editor')).toContain('/translations/en/dining')
    expect(await list('editor')).not.toContain('/translations/en/site')
    expect(await list('manager')).toContain('/translations/en/site')
  })

  test('lists drafts and coming days, but neither past days nor empty texts', async () => {
    const { db, editor, as } = await createSite()
    await addCard(db, 'dining', { title: '準備中の品', draft: true }, author)
    for (const [day, title] of [
      ['2026-11-19', '昨日の会'],
      ['2026-11-20', '今日の会'],
    ] as const)
      await addEvent(db, crypto.randomUUID(), Event.parse({ day, title }), author)
    const special = { reason: '臨時休業', note: '旅に出ます', slots: noSlots }
    await saveSpecialDays(db, { days: ['2026-12-02'], ...special }, new Map(), author)
    expect(await editor('dining')).toContain('準備中の品')
    expect(await editor('events')).toContain('今日の会')
    expect(await editor('events')).not.toContain('昨日の会')
    expect(await editor('days')).toContain('name="2026-12-02.note"')
    expect(await editor('days')).not.toContain('name="2026-12-02.cause"')
    expect((await as('approved', '/translations/xx/dining')).status).toBe(404)
    expect(await (await as('approved', '/translations')).text()).toMatch(/予定<\/b><span>0 \/ \d+ 件/)
  })

  test('keeps the translation of a deleted dish for its return from the bin', async () => {
    const { db, id, save, english, post } = await createSite()
    await save({ [`${id}.title`]: 'Yuba soup' })
    const deleted = await deleteCard(db, { id, version: 1 }, author)
    expect(await english()).not.toContain('Yuba soup')
    const [other] = await listCards(db, 'dining')
    await save({ [`${other?.id}.title`]: 'Other dish' }, 1)
    expect((await post('approved', dataPathOf('/undo'), { save: deleted.ok ?? '' })).status).toBe(200)
    expect(await english()).toContain('Yuba soup')
  })

  test('links to the translations only while the switch is on', async () => {
    for (const otherLanguages of [true, false]) {
      const { as, id } = await createSite({ otherLanguages })
      const html = await (await as('approved', `/dining/${id}/edit`)).text()
      expect(html.includes(`/translations/en/dining#${id}`)).toBe(otherLanguages)
      expect(
        (await (await as('administrator', '/pages/dining/edit')).text()).includes('/translations/en/pages#dining'),
      ).toBe(otherLanguages)
      const notice = 'いまは英語のページを公開していません'
      expect((await (await as('approved', '/translations')).text()).includes(notice)).toBe(!otherLanguages)
    }
  })
})
