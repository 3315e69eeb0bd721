import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { demoAccounts } from '../../server/tools/demo.ts'
import { addCard, listCards, readCard } from '../cards/cards.server.ts'
import type { ReorderResult } from '../cards/reorder.ts'
import { noSlots } from '../hours/business-day.ts'
import { saveSpecialDays } from '../hours/business-days.server.ts'
import { emptySection, saveSection } from '../sections/sections.server.ts'

const sushi = {
  intent: 'add',
  title: '鯖寿司',
  content: '若狭の鯖を、ひと晩なじませました。',
  price: '１２００',
  allergens: '小麦',
}
const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const dishes = () => listCards(sample.db, 'dining', { drafts: true })
    const [first, second] = (await dishes()).map(({ id }) => id) as [string, string]
    const html = async (path = '/dining', person: Parameters<typeof sample.as>[0] = 'guest') =>
      (await sample.as(person, path)).text()
    const order = async () => (await dishes()).map(({ id }) => id)
    return { ...sample, dishes, first, second, html, order }
  }

  const pathOf = ({ intent, id }: Record<string, string>) =>
    intent === 'add' ? '/dining/new/add' : intent === 'save' || intent === 'delete' ? `/dining/${id}/edit` : '/dining'

  describe('the dining page', () => {
    onSqlite.each([
      ['guest', 401],
      ['signedIn', 403],
      ['applicant', 403],
      ['approved', 302],
      ['administrator', 302],
    ] as const)('responds to the saves of visitor "%s" with %i', async (person, status) => {
      const { post, dishes, first, db } = await site()
      const before = await dishes()
      const isPermitted = status === 302
      const expectStatus = async (fields: Record<string, string>, expected: number = status) =>
        expect((await post(person, pathOf(fields), fields)).status, fields.intent).toBe(expected)

      await expectStatus(sushi)
      expect((await dishes()).find(({ title }) => title === sushi.title)).toEqual(
        isPermitted ? expect.objectContaining({ collection: 'dining', price: '1200', allergens: '小麦' }) : undefined,
      )
      await expectStatus({ intent: 'sold out', id: first }, isPermitted ? 200 : status)
      const version = String((await readCard(db, first))?.version)
      const { title, content } = before[0] as (typeof before)[0]
      await expectStatus({ intent: 'save', id: first, version, title: `${title}（大）`, content })
      await expectStatus({ intent: 'delete', id: first, version: String(Number(version) + 1) })
      const wanted = before.map(({ id }) => id).toReversed()
      if (!isPermitted)
        await expectStatus({ intent: 'reorder', seen: before.map(({ id }) => id).join(), wanted: wanted.join() })
      if (isPermitted) expect(await readCard(db, first)).toBeNull()
      else expect(await dishes()).toEqual(before)
    })

    onSqlite('accepts a dish without a description', async () => {
      const { post, html, dishes } = await site()
      const beer = { intent: 'add', title: '生ビール', content: ' 　', price: '600' }
      expect((await post('approved', '/dining/new/add', { ...beer, title: '' })).status).toBe(400)
      expect((await post('approved', '/dining/new/add', beer)).status).toBe(302)
      expect((await dishes()).find(({ title }) => title === beer.title)).toMatchObject({ content: '', price: '600' })
      const [, article] = /<article[^>]*>((?:(?!<article).)*生ビール.*?)<\/article>/s.exec(await html()) ?? []
      expect(article).toContain('600円')
      expect(article).not.toContain('card-article_content')
      const form = await html('/dining/new/add', 'approved')
      expect(form).toMatch(/品名<span[^>]*>（必須）</)
      expect(form).not.toMatch(/タイトル|窓ぎわの席|内容<span/)
    })

    onSqlite('requires a description in the generic form unless the stored dish has no description', async () => {
      const { post, html, dishes } = await site()
      const beer = { title: '生ビール', content: '', price: '600' }
      const generic = '/firestoreservice?databasename=dining'
      const rejected = await post('approved', generic, { intent: 'add', ...beer })
      expect([rejected.status, await rejected.text()]).toEqual([400, expect.stringContaining('内容を入力してください')])
      expect(await html(generic, 'approved')).toMatch(/内容<span[^>]*>（必須）</)
      await post('approved', '/dining/new/add', { intent: 'add', ...beer })
      const stored = async (title: string) => (await dishes()).find((dish) => dish.title === title)
      const { id = '' } = (await stored(beer.title)) ?? {}
      const form = `/firestoreservice/${id}/edit`
      expect(await html(form, 'approved')).not.toMatch(/内容<span/)
      expect((await post('approved', form, { intent: 'save', version: '1', ...beer, price: '650' })).status).toBe(302)
      expect(await stored(beer.title)).toMatchObject({ content: '', price: '650' })
      const [rice] = await dishes()
      const emptiedForm = { intent: 'save', version: '1', title: rice?.title ?? '', content: '' }
      expect((await post('approved', `/firestoreservice/${rice?.id}/edit`, emptiedForm)).status).toBe(400)
      expect(await stored(rice?.title ?? '')).toMatchObject({ content: rice?.content })
    })

    onSqlite('shows all selected allergens to guests', async () => {
      const { post, html } = await site()
      const form = new URLSearchParams(sushi)
      for (const more of ['卵', 'えび']) form.append('allergens', more)
      expect((await post('approved', '/dining/new/add', form)).status).toBe(302)
      expect(await html()).toMatch(/アレルギー：小麦・卵・えび/)
    })

    onSqlite('rejects approved members when only staff may edit dishes', async () => {
      const { post, db, first, html } = await site()
      await enableSetting(db, 'dishesAndCalendarByStaffOnly')
      expect((await post('approved', '/dining', { intent: 'sold out', id: first })).status).toBe(403)
      expect((await post('approved', '/dining/new/add', sushi)).status).toBe(403)
      expect(await html('/dining', 'approved')).not.toContain('料理を追加')
      expect(await html('/dining', 'administrator')).toContain('料理を追加')
    })

    onSqlite('shows prices and allergens to guests', async () => {
      const { html } = await site()
      const page = await html()
      expect(page).toContain('850円</span><small>（税込）</small>')
      expect(page).toContain('アレルギー：卵・小麦')
    })

    test('shows the prices and marks of a dish, and returns both as JSON', async () => {
      const { post, html, as, dishes } = await site()
      const sake = {
        ...sushi,
        title: '玉乃光',
        price: '一合 900円、二合 1,700円',
        marks: 'アルコール',
        allergens: '大豆',
      }
      const path = (await post('approved', '/dining/new/add', sake)).headers.get('location') ?? ''
      const page = await html()
      expect(page).toContain('<span>一合 900円</span><span>二合 1,700円</span><small>（税込）</small>')
      expect(page).toContain('>アルコール</p>')
      expect(page).toContain('アレルギー：大豆（ほかはスタッフにお尋ねください）')
      const { id } = (await dishes()).find(({ title }) => title === sake.title) ?? {}
      expect(path).toContain(`#card-${id}`)
      expect(await (await as('guest', `/api/collections/dining/${id}`)).json()).toMatchObject({
        price: 900,
        prices: [
          { label: '一合', yen: 900 },
          { label: '二合', yen: 1700 },
        ],
        marks: 'アルコール',
      })
      const form = `/dining/${id}/edit`
      const edited = { ...sake, intent: 'save', version: '1' }
      for (const [wrong, sentence] of [
        [{ price: '一合 900円、1,700円' }, 'それぞれに名前を付けてください'],
        [{ marks: '辛さ4' }, '目印を選び直してください'],
        [{ marks: '辛さ1、辛さ2' }, '辛さは1つだけ選んでください'],
        [{ allergens: 'だいず' }, 'アレルギー物質を選び直してください'],
      ] as const) {
        const response = await post('approved', form, { ...edited, ...wrong })
        expect(response.status).toBe(400)
        expect(await response.text()).toContain(sentence)
      }
      expect(await html()).toContain('<span>一合 900円</span>')
      await post('approved', form, { ...edited, price: '時価', allergensConfirmed: 'on' })
      const changed = (await html()).replaceAll('<!-- -->', '')
      expect(changed).toContain('<span>時価</span></p>')
      expect(changed).toContain('は使っていません（大豆は使っています）')
    })

    test('shows a dish as sold out until the shop opens again', async () => {
      const { post, html, clock, second, db } = await site()
      const isShownAsSoldOut = async () => (await html()).includes('本日売り切れ')
      expect(await isShownAsSoldOut()).toBe(false)
      await post('approved', '/dining', { intent: 'sold out', id: second })
      expect(await isShownAsSoldOut()).toBe(true)
      for (const [time, expected] of [
        ['2026-11-20T13:00', true],
        ['2026-11-21T07:29', true],
        ['2026-11-21T07:30', false],
      ] as const) {
        clock.now = Date.parse(`${time}+09:00`)
        expect([time, await isShownAsSoldOut()]).toEqual([time, expected])
      }
      // The dish stays sold out if the shop is closed on the next day.
      await saveSpecialDays(db, { days: ['2026-11-21'], reason: '臨時休業', slots: noSlots }, new Map(), author)
      expect(await isShownAsSoldOut()).toBe(true)
      clock.now = Date.parse('2026-11-22T07:30+09:00')
      expect(await isShownAsSoldOut()).toBe(false)
      // Weeks later the dish is available again, until the dish is marked as sold out once more.
      clock.now = Date.parse('2027-02-01T12:00+09:00')
      expect(await isShownAsSoldOut()).toBe(false)
      await post('approved', '/dining', { intent: 'sold out', id: second })
      expect(await isShownAsSoldOut()).toBe(true)
      await post('approved', '/dining', { intent: 'not sold out', id: second })
      expect(await isShownAsSoldOut()).toBe(false)
    })

    test('never claims on a closed day that a section with own times is served', async () => {
      const { html, clock, db } = await site()
      const id = crypto.randomUUID()
      const times = { served: 'own', servedFrom: '11:30', servedUntil: '14:00' } as const
      await saveSection(db, id, { version: 0, facts: { ...emptySection, name: '昼', ...times } }, author)
      await db.updateTable('cards').set({ section: id }).where('collection', '=', 'dining').execute()
      await saveSpecialDays(db, { days: ['2026-11-26'], reason: '臨時休業', slots: noSlots }, new Map(), author)
      for (const [day, isServed, sentence] of [
        ['2026-11-24', false, '本日は定休日です'],
        ['2026-11-26', false, '本日は臨時休業です'],
        ['2026-11-27', true, 'ただいま営業しております'],
      ] as const) {
        clock.now = Date.parse(`${day}T12:00+09:00`)
        expect(await html('/')).toContain(sentence)
        const menu = await html()
        const claims = ['ただいまご提供しています', '11:30〜14:00にご提供します'].map((claim) => menu.includes(claim))
        expect([day, ...claims]).toEqual([day, isServed, false])
      }
      // Without known hours, the own times of the section apply.
      await db.deleteFrom('businessWeek').execute()
      clock.now = Date.parse('2026-12-01T12:00+09:00')
      expect(await html()).toContain('ただいまご提供しています（11:30〜14:00）')
    })

    test('shows a dish that was sold out after midnight as available on the next evening', async () => {
      const { post, html, clock, second, db } = await site()
      const days = ['2026-11-20', '2026-11-21', '2026-11-22']
      const slots = [{ start: '18:00', end: '02:00' }, null]
      await saveSpecialDays(db, { days, reason: '営業時間変更', slots }, new Map(), author)
      clock.now = Date.parse('2026-11-21T00:30+09:00')
      await post('approved', '/dining', { intent: 'sold out', id: second })
      for (const [time, expected] of [
        ['2026-11-21T01:59', true],
        ['2026-11-21T17:59', true],
        ['2026-11-21T18:00', false],
      ] as const) {
        clock.now = Date.parse(`${time}+09:00`)
        expect([time, (await html()).includes('本日売り切れ')]).toEqual([time, expected])
      }
    })

    onSqlite('returns 404 when a card that is no dish is marked as sold out', async () => {
      const { post, db } = await site()
      const [slide] = await listCards(db, 'home')
      const [portfolioCard] = await listCards(db, 'vbacreate')
      const expectMissing = async (id: string) => {
        const response = await post('administrator', '/dining', { intent: 'sold out', id })
        expect(response.status).toBe(404)
        expect(await response.text()).toContain('この料理は見つかりません。すでに削除されているようです。')
      }
      for (const id of ['none', '', slide?.id ?? 'no slide', portfolioCard?.id ?? 'no card']) await expectMissing(id)
    })

    test('updates an open menu when the slots of the business day change, also in the night', async () => {
      const { html, clock, db } = await site()
      await saveSection(db, crypto.randomUUID(), { version: 0, facts: { name: '夜', served: 'slot2' } }, author)
      const slots = [
        { start: '11:30', end: '14:00' },
        { start: '17:00', end: '01:00' },
      ]
      await saveSpecialDays(db, { days: ['2026-11-20'], reason: '営業時間変更', slots }, new Map(), author)
      await saveSpecialDays(db, { days: ['2026-11-21'], reason: '臨時休業', slots: noSlots }, new Map(), author)
      for (const [time, next] of [
        ['2026-11-20T18:00', '2026-11-21T00:00'],
        ['2026-11-21T00:10', '2026-11-21T01:00'],
        ['2026-11-21T01:00', '2026-11-22T00:00'],
        ['2026-11-22T00:10', '2026-11-23T00:00'],
      ] as const) {
        clock.now = Date.parse(`${time}+09:00`)
        expect([time, /"changesAt","([^"]*)"/.exec(await html('/dining.data'))?.[1]]).toEqual([time, next])
      }
    })

    test('saves a new card order as one save with an undo, and rejects an outdated form', async () => {
      const { post, order, db, clock } = await site()
      const seen = await order()
      const wanted = [...seen.slice(3), ...seen.slice(0, 3)]
      const form = { intent: 'reorder', seen: seen.join(), wanted: wanted.join(), once: 'k'.repeat(70) }
      const submit = async () => actionDataOf<ReorderResult>(await post('approved', '/dining.data', form))
      const saved = await submit()
      expect(await order()).toEqual(wanted)
      // A repeated form, after a lost response, returns the first result.
      expect(await submit()).toMatchObject({ done: '並び順を保存しました。', undo: saved.undo })
      const lateResponse = await post('administrator', '/dining?arrange', { ...form, once: '' })
      expect(lateResponse.status).toBe(409)
      expect(await lateResponse.text()).toContain('ほかの方が先に変更しました')
      const late = await actionDataOf(await post('administrator', '/dining.data', { ...form, once: '' }))
      expect(late).toMatchObject({ newer: true })
      expect(await order()).toEqual(wanted)
      expect(await db.selectFrom('onceKeys').select(['owner', 'key']).execute()).toEqual([
        { owner: demoAccounts.approved.accountId, key: `order dining ${'k'.repeat(64)}` },
      ])

      clock.now += 1000
      expect((await post('approved', '/undo', { save: saved.undo?.fields.save ?? '' })).status).toBe(200)
      expect(await order()).toEqual(seen)
      const revisions = await db.selectFrom('revisions').select('action').where('action', '=', 'take back').execute()
      expect(revisions).toHaveLength(seen.length)
    })

    onSqlite('rejects a card order with unknown, missing or duplicate cards', async () => {
      const { post, order, db } = await site()
      const seen = await order()
      const [slide] = await listCards(db, 'vbacreate')
      const [first = '', ...rest] = seen
      for (const wanted of [rest, [...rest, 'none'], [first, first, ...rest.slice(1)], [...rest, slide?.id], []]) {
        const { status } = await post('approved', '/dining', {
          intent: 'reorder',
          seen: seen.join(),
          wanted: wanted.join(),
        })
        expect(status).toBe(409)
        expect(await order()).toEqual(seen)
      }
    })

    onSqlite('opens the form on the page, and shows the reason when the visitor may not save', async () => {
      const { html, as, db, first } = await site()
      expect(await html('/dining/new/add', 'approved')).toContain('お料理の追加')
      expect(await html(`/dining/${first}/edit`, 'approved')).toContain('季節の炊き込みご飯')
      expect(await html(`/dining/${first}/edit`)).toContain(
        'スタッフと承認されたメンバーだけが行えます。ログインしてください',
      )
      const [portfolioCard] = await listCards(db, 'vbacreate')
      for (const id of ['none', portfolioCard?.id])
        expect((await as('administrator', `/dining/${id}/edit`)).status).toBe(404)
      const draft = await addCard(db, 'dining', { title: '秘密の皿', content: 'まだ', draft: true }, author)
      for (const path of [`/dining/${draft}/edit`, `/dining/${draft}/edit.data`]) {
        const response = await as('guest', path)
        expect(response.status).toBe(404)
        expect(await response.text()).not.toContain('秘密の皿')
      }
      expect(await html(`/dining/${draft}/edit`, 'approved')).toContain('秘密の皿')
    })

    onSqlite('shows and logs a failed save', async () => {
      const { post, db, first, logged } = await site()
      await db.schema.dropTable('revisions').execute()
      const response = await post('approved', '/dining', { intent: 'sold out', id: first })
      expect(response.status).toBe(500)
      expect(await response.text()).toContain('データの保存に失敗しました')
      expect(logged.some(({ msg }) => msg === 'save error')).toBe(true)
    })
  })
})

async function enableSetting(db: Parameters<typeof listCards>[0], name: string) {
  const row = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  const facts = JSON.stringify({ ...JSON.parse(row.facts), [name]: true })
  await db.updateTable('site').set({ facts }).execute()
}
