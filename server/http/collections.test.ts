import { expect, test } from 'vitest'
import { collectionNames } from '../../app/cards/card.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import { onEachEngine } from '../../db/testing.ts'
import { type Account, jsonCall, sampleSite } from '../testing.ts'
import { demoAccounts, hireStaff, type Person } from '../tools/demo.ts'

const people = ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const
const otherCollections = ['sections', 'members', 'events', 'bussinessDays', 'bussinessDaysSpecial']
const collections = [...collectionNames, ...otherCollections]

type Named = { username: string }
// biome-ignore lint/suspicious/noExplicitAny: each collection has documents of its own shape
type ApiResponse = { status: number; body: any; cacheControl: string | null }

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sampleShop = await sampleSite(await fresh())
    const visitors = await sampleShop.people()
    const idOf = (person: Person) => visitors[person]?.member?.id ?? ''
    const privateFields = { birthday: '誕生日の秘密', realname: '本名の秘密' }
    await sampleShop.db.updateTable('members').set(privateFields).execute()
    const call = async (person: Person, method: string, path: string, body?: unknown): Promise<ApiResponse> => {
      const bare = { method, headers: { origin: 'http://localhost' } }
      const sent = body === undefined ? bare : { ...jsonCall(body, method), ...(typeof body === 'string' && { body }) }
      const response = await sampleShop.as(person, `/api/collections/${path}`, sent)
      const cacheControl = response.headers.get('cache-control')
      return { status: response.status, body: await response.json(), cacheControl }
    }
    const get = async (person: Person, path: string) => (await call(person, 'GET', path)).body
    const revisions = () => sampleShop.db.selectFrom('revisions').select(['subject', 'action']).execute()
    return { ...sampleShop, idOf, call, get, revisions }
  }
  const card = { title: 'おでん', content: '大根、玉子、こんにゃく。' }
  const work = { title: '仕事', content: '中身', eventdate: '2026-12-24' }
  const event = { title: '利き酒の会', date: '2026-11-26', startTime: '18:00' }
  const changedFields = {
    introduction: '別の紹介',
    content: '別の中身',
    eventdate: '2030-01-01',
    title: '別の題',
    reason: '臨時営業',
  }
  const section = { name: '一品' }
  const withChangedFields = (change: object) =>
    Object.fromEntries(Object.entries(changedFields).filter(([name]) => Object.hasOwn(change, name)))
  const closed = { selectedYear: 2026, selectedMonth: 12, selectedDay: 9, reason: '臨時休業' }

  onSqlite(
    'returns cards, events and hours to guests as flat objects with the specification’s field names',
    async () => {
      const { get } = await site()
      for (const name of collectionNames) {
        const documents = await get('guest', name)
        expect(documents.length > 0 || name === 'webdesign', name).toBe(true)
        for (const { id, version } of documents) expect([typeof id, version]).toEqual(['string', 1])
      }
      const [first] = await get('guest', 'vbacreate')
      expect(first).toMatchObject({
        ...{ title: '請求書を、ひと押しで', created_at: '2026-11-20T03:00:00.000Z' },
        ...{ eventday: '2026-02-01', eventdate: '2026-02-01', eventdatestring: '2026年2月1日' },
        ...{ selectedYear: 2026, selectedMonth: 2, selectedDay: 1 },
      })
      expect(await get('guest', `vbacreate/${first.id}`)).toEqual(first)
      expect((await get('guest', 'events'))[0]).toMatchObject({ title: 'テニス練習会', date: '2026-11-21' })
      const [week] = await get('guest', 'bussinessDays')
      expect(week.schedule.火曜日.open_or_close).toBe('close')
      expect((await get('guest', 'bussinessDaysSpecial'))[0]).toMatchObject({
        ...{ id: '2026-12-31', selectedYear: 2026, selectedMonth: 12, selectedDay: 31 },
        ...{ reason: '年末年始休業', starttime1_hour: '00' },
      })
    },
  )

  test('returns only the members and fields that the visitor may read, and never a private field', async () => {
    const { get, idOf, call } = await site()
    expect(await get('guest', 'members')).toEqual([])
    expect(await get('signedIn', 'members')).toEqual([])
    expect((await get('applicant', 'members')).map(({ id }: { id: string }) => id)).toEqual([idOf('applicant')])
    const visibleMembers = (await get('approved', 'members')).sort((a: Named, b: Named) =>
      a.username < b.username ? -1 : 1,
    )
    expect(visibleMembers.map(({ username }: { username: string }) => username)).toEqual(['暖簾 結', '桜井 花'])
    for (const hidden of ['email', 'tel_num', 'address', 'administrator', 'admin', 'author'])
      expect(visibleMembers[0]).not.toHaveProperty(hidden)
    const author = { id: 'demo-approved', username: '桜井 花' }
    expect(visibleMembers[1]).toMatchObject({ tel_num: '075-000-0002', admin: true, administrator: false, author })
    expect(await get('administrator', 'members')).toHaveLength(3)
    for (const person of people) {
      for (const path of ['members', ...people.map((each) => `members/${idOf(each) || 'none'}`)])
        expect(JSON.stringify(await get(person, path)), `${person} ${path}`).not.toContain('秘密')
      // A cached response could reach the next visitor of the same browser.
      for (const path of ['members', `members/${idOf('approved')}`, 'dining'])
        expect((await call(person, 'GET', path)).cacheControl, `${person} ${path}`).toBe('private, no-store')
    }
    expect(await get('guest', `members/${idOf('approved')}`)).toEqual({ error: '見つかりませんでした。' })
    expect(await get('approved', `members/${idOf('applicant')}`)).toHaveProperty('error')
  })

  onSqlite('returns a draft only to visitors who may edit the draft', async () => {
    const { db, get, call } = await site()
    const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
    const draft = { ...card, title: 'まだ秘密の一品', draft: true }
    const id = await addCard(db, 'dining', draft, author)
    const other = await addCard(db, 'vbacreate', draft, author)
    for (const person of people) {
      const editsDishes = person === 'approved' || person === 'administrator'
      const dishes = JSON.stringify(await get(person, 'dining'))
      expect(dishes.includes(draft.title), person).toBe(editsDishes)
      expect((await call(person, 'GET', `dining/${id}`)).status, person).toBe(editsDishes ? 200 : 404)
      const seesWork = (await call(person, 'GET', `vbacreate/${other}`)).status
      expect(seesWork, person).toBe(person === 'administrator' ? 200 : 404)
      expect((await call(person, 'GET', `dining/${other}`)).status).toBe(404)
    }
    // A card of another page cannot be changed or deleted under the URL of the dishes.
    expect((await call('approved', 'PATCH', `dining/${other}`, { title: '別の題', version: 1 })).status).toBe(404)
    expect((await call('approved', 'DELETE', `dining/${other}`, { version: 1 })).status).toBe(404)
    expect(await get('administrator', `vbacreate/${other}`)).toMatchObject({ title: draft.title, version: 1 })
  })

  onSqlite('returns a section and its dishes to guests only while guests see the section', async () => {
    const { call, get, clock } = await site()
    const { body } = await call('approved', 'POST', 'sections', { name: '忘年会', shownUntil: '2026-12-01T00:00' })
    const dish = (await call('approved', 'POST', 'dining', { title: '鴨鍋', section: body.id })).body
    const draft = (await call('approved', 'POST', 'sections', { name: '準備中', draft: true })).body
    const paths = ['sections', 'dining'].flatMap((name) => [name, `${name}/${name === 'dining' ? dish.id : body.id}`])
    const seenBy = async (person: Person) =>
      JSON.stringify(await Promise.all(paths.map((path) => get(person, path)))).match(/忘年会|鴨鍋|準備中/g)
    expect(await seenBy('guest')).toEqual(['忘年会', '忘年会', '鴨鍋', '鴨鍋'])
    expect((await call('guest', 'GET', `sections/${draft.id}`)).status).toBe(404)
    expect(await seenBy('approved')).toEqual(['忘年会', '準備中', '忘年会', '鴨鍋', '鴨鍋'])
    clock.now = Date.parse('2026-12-01T00:00+09:00')
    expect(await seenBy('guest')).toBeNull()
    expect(await seenBy('approved')).toEqual(['忘年会', '準備中', '忘年会', '鴨鍋', '鴨鍋'])
  })

  test('merges changes of different fields of a section, and keeps its dishes when it is deleted', async () => {
    const { call, get } = await site()
    const created = (await call('approved', 'POST', 'sections', section)).body
    const dish = (await call('approved', 'POST', 'dining', { title: '鴨鍋', section: created.id })).body
    const path = `sections/${created.id}`
    await call('approved', 'PATCH', path, { version: 1, name: '冬の一品' })
    const merged = await call('administrator', 'PATCH', path, { version: 1, introduction: '温かい品です。' })
    expect(merged).toMatchObject({
      status: 200,
      body: { name: '冬の一品', introduction: '温かい品です。', version: 3 },
    })
    const whole = await call('administrator', 'PATCH', path, { ...merged.body, draft: true })
    expect(whole.body).toEqual({ ...merged.body, draft: true, version: 4 })
    await call('administrator', 'PATCH', path, { version: 4, draft: false })
    expect((await call('approved', 'DELETE', path, { version: 5 })).status).toBe(200)
    expect(await get('guest', `dining/${dish.id}`)).toEqual(dish)
    const late = await call('approved', 'POST', 'dining', { title: '河豚', section: created.id })
    expect(late).toMatchObject({ status: 400, body: { error: expect.stringContaining('すでに削除されています') } })
  })

  onSqlite.each(collections)('allows writes to %s only with permission', async (name) => {
    const { call, get, revisions, idOf } = await site()
    const before = [await revisions(), await get('administrator', name)]
    const [document] = before[1] as { id: string }[]
    const id = document?.id ?? 'none'
    const forApproved = name === 'dining' || otherCollections.includes(name) ? 400 : 403
    for (const person of people) {
      const expected =
        name === 'members'
          ? { guest: 401, signedIn: 400, applicant: 400, approved: 400, administrator: 400 }[person]
          : { guest: 401, signedIn: 403, applicant: 403, approved: forApproved, administrator: 400 }[person]
      // The empty body has neither the required fields nor a version.
      expect((await call(person, 'POST', name, {})).status, `${person} POST`).toBe(expected)
      const target = name === 'members' ? idOf('administrator') : id
      const allowed = name === 'members' ? (person === 'administrator' ? 400 : 403) : expected
      const change = { 400: id === 'none' ? 404 : 409, 401: 401, 403: 403 }[person === 'guest' ? 401 : (allowed ?? 0)]
      for (const method of ['PATCH', 'DELETE'])
        expect((await call(person, method, `${name}/${target}`, {})).status, `${person} ${method}`).toBe(change)
    }
    expect([await revisions(), await get('administrator', name)]).toEqual(before)
  })

  test.each([
    ['dining', card, { content: '熱いうちに。' }],
    ['vbacreate', work, { eventdate: '2027-01-05' }],
    ['sections', section, { introduction: '昼の部だけです。', served: 'slot2' }],
    ['events', event, { title: '新酒の会' }],
    ['bussinessDaysSpecial', closed, { reason: '年末年始休業' }],
  ])('records adding, changing and deleting a document of %s in the history', async (name, given, change) => {
    const { call, get, revisions } = await site()
    const before = (await revisions()).length
    const created = await call('administrator', 'POST', name, given)
    expect(created).toMatchObject({ status: 201, body: { ...given, version: 1 } })
    const path = `${name}/${created.body.id}`
    expect(await get('guest', path)).toEqual(created.body)

    const changed = await call('administrator', 'PATCH', path, { ...change, version: 1 })
    expect(changed).toMatchObject({ status: 200, body: { ...given, ...change, id: created.body.id } })
    expect(changed.body.version).toBe(2)
    // The version predates the change, so the write is rejected.
    const outdated = await call('administrator', 'PATCH', path, { ...given, ...withChangedFields(change), version: 1 })
    expect(outdated).toMatchObject({ status: 409, body: { document: changed.body } })
    expect((await call('administrator', 'DELETE', path, { version: 1 })).status).toBe(409)
    expect((await call('administrator', 'DELETE', path, {})).status).toBe(409)
    const textVersion = await call('administrator', 'DELETE', path, { version: '2' })
    expect(textVersion).toMatchObject({ status: 409, body: { error: '現在の内容の version をお送りください。' } })
    expect((await call('guest', 'DELETE', path, { version: 2 })).status).toBe(401)
    expect(await get('guest', path)).toEqual(changed.body)

    expect((await call('administrator', 'DELETE', path, { version: 2 })).status).toBe(200)
    expect((await call('guest', 'GET', path)).status).toBe(404)
    expect((await call('administrator', 'DELETE', path, { version: 3 })).status).toBe(404)
    expect((await call('administrator', 'PATCH', path, { ...change, version: 3 })).status).toBe(404)
    expect((await revisions()).length).toBe(before + 3)
  })

  test.each([
    ['小 800、大 1200', 800],
    ['時価', null],
  ])('keeps the prices %s when a client sends back a whole dish', async (price, sent) => {
    const { call, db } = await site()
    const dish = (await call('approved', 'POST', 'dining', { title: '鴨鍋', price })).body
    expect(dish.price).toBe(sent)
    const path = `dining/${dish.id}`
    const changed = await call('approved', 'PATCH', path, { ...dish, content: '冬だけです。' })
    expect(changed).toMatchObject({ status: 200, body: { content: '冬だけです。', prices: dish.prices } })
    const storedPrice = async () =>
      (await db.selectFrom('cards').select('price').where('id', '=', dish.id).executeTakeFirstOrThrow()).price
    expect(await storedPrice()).toBe(price)
    await call('approved', 'PATCH', path, { version: 2, price: '800' })
    expect(await storedPrice()).toBe('800')
    await call('approved', 'PATCH', path, { version: 3, price: '' })
    expect(await storedPrice()).toBe('')
  })

  onSqlite('moves the deadline of an event when its date changes, unless the request contains a deadline', async () => {
    const { call } = await site()
    const eventWithDeadline = { ...event, attendance: true, deadline: '2026-11-24' }
    const { body } = await call('administrator', 'POST', 'events', eventWithDeadline)
    const change = (given: object) => call('administrator', 'PATCH', `events/${body.id}`, given)
    const moved = await change({ date: '2026-12-03', version: 1 })
    expect(moved).toMatchObject({ status: 200, body: { date: '2026-12-03', deadline: '2026-12-01' } })
    const given = await change({ date: '2026-12-10', deadline: '2026-12-10', version: 2 })
    expect(given).toMatchObject({ status: 200, body: { date: '2026-12-10', deadline: '2026-12-10' } })
    for (const date of ['soon', 20261210, null]) expect((await change({ date, version: 3 })).status).not.toBe(500)
  })

  onSqlite('finds a card only in its own collection', async () => {
    const { call, get, revisions } = await site()
    const [work] = await get('guest', 'vbacreate')
    const before = [await revisions(), work]
    // Approved members may edit dishes, but not the portfolio.
    const path = `dining/${work.id}`
    expect((await call('approved', 'PATCH', path, { title: '別の題', version: 1 })).status).toBe(404)
    expect((await call('approved', 'DELETE', path, { version: 1 })).status).toBe(404)
    expect([await revisions(), await get('guest', `vbacreate/${work.id}`)]).toEqual(before)
  })

  test('changes single rows of the week, and adds a removed week again with a higher version', async () => {
    const { call, get } = await site()
    const saturday = { 土曜日: { open_or_close: 'close' } }
    const changed = await call('approved', 'PATCH', 'bussinessDays/week', { version: 1, schedule: saturday })
    expect(changed).toMatchObject({ status: 200, body: { version: 2 } })
    expect(changed.body.schedule.土曜日).toMatchObject({ open_or_close: 'close', starttime1_hour: '07' })
    expect(changed.body.schedule.月曜日.open_or_close).toBe('open')
    const { schedule } = changed.body
    expect((await call('approved', 'POST', 'bussinessDays', { schedule })).status).toBe(409)
    const outdated = { version: 1, schedule: { 土曜日: { open_or_close: 'open' } } }
    expect((await call('approved', 'PATCH', 'bussinessDays/week', outdated)).status).toBe(409)
    expect((await call('approved', 'PATCH', 'bussinessDays/other', { ...outdated, version: 2 })).status).toBe(404)
    expect((await call('approved', 'DELETE', 'bussinessDays/other', { version: 2 })).status).toBe(404)
    expect(await get('guest', 'bussinessDays/week')).toEqual(changed.body)
    expect((await call('approved', 'DELETE', 'bussinessDays/week', { version: 1 })).status).toBe(409)
    expect((await call('approved', 'DELETE', 'bussinessDays/week', { version: 2 })).status).toBe(200)
    expect(await get('guest', 'bussinessDays')).toEqual([])
    const again = await call('approved', 'POST', 'bussinessDays', { schedule })
    expect(again).toMatchObject({ status: 201, body: { schedule, version: 4 } })
    const invalidSchedule = { version: 4, schedule: { 日曜日: { open_or_close: 'perhaps' } } }
    const wrong = await call('approved', 'PATCH', 'bussinessDays/week', invalidSchedule)
    expect(wrong).toMatchObject({ status: 400, body: { field: '日曜日.open_or_close' } })
  })

  onSqlite('preserves cause and note of a special day when its reason changes', async () => {
    const { call } = await site()
    const texts = { cause: '貸切', note: 'ご迷惑をおかけします。' }
    const added = await call('approved', 'POST', 'bussinessDaysSpecial', { ...closed, ...texts })
    expect(added).toMatchObject({ status: 201, body: { ...texts, version: 1 } })
    const path = 'bussinessDaysSpecial/2026-12-09'
    const changed = await call('approved', 'PATCH', path, { reason: '営業時間変更', endtime1_hour: '20', version: 1 })
    expect(changed).toMatchObject({ status: 200, body: { ...texts, reason: '営業時間変更', version: 2 } })
    const withoutCause = await call('approved', 'PATCH', path, { cause: '', version: 2 })
    expect(withoutCause).toMatchObject({ status: 200, body: { cause: '', note: texts.note, version: 3 } })
    for (const wrong of [{ cause: 1 }, { note: '長'.repeat(61) }, { note: null }])
      expect((await call('approved', 'PATCH', path, { ...wrong, version: 3 })).status).toBe(400)
  })

  test('rejects a second document for the same special day', async () => {
    const { call, get, revisions } = await site()
    const before = [await revisions(), await get('guest', 'bussinessDaysSpecial')]
    const again = { ...closed, selectedMonth: '12', selectedDay: '31' }
    const taken = { status: 409, body: { field: 'selectedDay' } }
    expect(await call('approved', 'POST', 'bussinessDaysSpecial', again)).toMatchObject(taken)
    expect([await revisions(), await get('guest', 'bussinessDaysSpecial')]).toEqual(before)
  })

  test('makes the first registered member an administrator only if the e-mail address is that of OWNER_EMAIL', async () => {
    const { register, unverified } = await siteWithoutMembers({ ownerEmail: demoAccounts.administrator.email })
    expect(await register('signedIn', 'たび')).toBe(false)
    expect(await register(unverified(demoAccounts.administrator), 'にせ')).toBe(false)
    expect(await register('administrator', '結')).toBe(true)
  })

  onSqlite('makes no member with an unverified e-mail address an administrator when e-mail is configured', async () => {
    const { register, unverified } = await siteWithoutMembers({})
    expect(await register(unverified(demoAccounts.signedIn), 'たび')).toBe(false)
  })

  // Creates a site that sends e-mail and has no members. `register` returns whether the new member is an administrator.
  async function siteWithoutMembers(settings: { ownerEmail?: string }) {
    const { as, db, idOf } = await site()
    const fields = await (await as('applicant', `/api/collections/members/${idOf('applicant')}`)).json()
    await db.deleteFrom('members').execute()
    await db.deleteFrom('marks').where('name', '=', 'first administrator').execute()
    const mailing = await sampleSite(db, settings, { verifies: true })
    return {
      async register(person: Person | Account, accountname: string) {
        const response = await mailing.as(person, '/api/collections/members', jsonCall({ ...fields, accountname }))
        expect(response.status).toBe(201)
        return (await response.json()).administrator
      },
      unverified(account: Account) {
        const unverified = { ...account, accountId: 'unproven', emailVerified: false }
        mailing.accounts.set(unverified.accountId, unverified)
        return unverified
      },
    }
  }

  test('lets members register and edit their own fields, and lets administrators approve and delete members', async () => {
    const { call, get, idOf, db, logged } = await site()
    const [own] = (await get('administrator', 'members')).filter(({ id }: { id: string }) => id === idOf('applicant'))
    const { id: _, version: __, author: ___, ...fields } = own
    const rights = { administrator: true, admin: true, birthday: '2000-01-01', id: 'me' }
    const registration = { ...fields, accountname: 'たび', ...rights }
    const created = await call('signedIn', 'POST', 'members', registration)
    expect(created).toMatchObject({ status: 201, body: { accountname: 'たび', administrator: false, admin: false } })
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'fields ignored', ignored: expect.arrayContaining(['admin']) }),
    )
    expect((await call('signedIn', 'POST', 'members', registration)).status).toBe(409)

    const path = `members/${idOf('applicant')}`
    const edit = { version: 1, tel_num: '075-222-2222', admin: true, administrator: true }
    expect((await call('applicant', 'PATCH', path, edit)).body).toMatchObject({ tel_num: '075-222-2222', admin: false })
    expect((await call('applicant', 'PATCH', path, { version: 1, profile: '遅い' })).status).toBe(409)
    const wrong = await call('applicant', 'PATCH', path, { version: 2, email: 'x' })
    expect(wrong).toMatchObject({ status: 400, body: { field: 'email', error: '有効なメールアドレスではありません' } })
    const taken = await call('applicant', 'PATCH', path, { version: 2, accountname: 'ハナ'.normalize('NFKC') })
    expect(taken.status).toBe(200)
    expect((await call('applicant', 'PATCH', path, { version: 3, accountname: 'はな' })).status).toBe(409)
    expect((await call('applicant', 'DELETE', path, { version: 3 })).status).toBe(403)

    expect((await call('administrator', 'PATCH', path, { version: 3, admin: true })).body.admin).toBe(true)
    expect((await call('administrator', 'DELETE', path, { version: 3 })).status).toBe(409)
    expect((await call('administrator', 'DELETE', path, { version: 4 })).status).toBe(200)
    const row = await db.selectFrom('members').selectAll().where('id', '=', idOf('applicant')).executeTakeFirst()
    expect(row).toMatchObject({ birthday: '誕生日の秘密', realname: '本名の秘密', deletedAt: expect.any(String) })

    const last = { version: 1, administrator: false }
    expect((await call('administrator', 'PATCH', `members/${idOf('administrator')}`, last)).status).toBe(409)
    expect((await call('administrator', 'DELETE', `members/${idOf('administrator')}`, { version: 1 })).status).toBe(409)
    const nonMember = await call('administrator', 'POST', 'members', { ...fields, accountname: 'やま', admin: true })
    expect(nonMember).toMatchObject({ status: 201, body: { admin: true, administrator: false } })
    expect(nonMember.body.author.id).toMatch(/^nonMember/)
    const waiting = await call('administrator', 'POST', 'members', { ...fields, accountname: 'かわ', admin: 'true' })
    expect(waiting).toMatchObject({ status: 201, body: { admin: false, administrator: false } })
  })

  onSqlite('accepts a dish without text', async () => {
    const { call } = await site()
    const drink = await call('administrator', 'POST', 'dining', { title: '生ビール', price: 600 })
    expect(drink).toMatchObject({ status: 201, body: { title: '生ビール', content: '' } })
    const dish = await call('administrator', 'POST', 'dining', card)
    const emptied = await call('administrator', 'PATCH', `dining/${dish.body.id}`, { version: 1, content: ' ' })
    expect(emptied).toMatchObject({ status: 200, body: { title: card.title, content: '' } })
  })

  onSqlite.each([
    ['dining', { ...card, title: ' ' }, 'title', '品名を入力してください'],
    ['vbacreate', { title: '仕事' }, 'content', '内容を入力してください'],
    ['dining', { ...card, content: 5 }, 'content', '内容を入力してください'],
    ['dining', { ...card, title: 5 }, 'title', '品名を入力してください'],
    ['bussinessDays', {}, '', 'この項目の形が正しくありません'],
    ['vbacreate', { ...work, eventdate: '2026-02-30' }, 'eventdate', '日付を選んでください'],
    ['vbacreate', { ...work, linkUrl: 'javascript:alert(1)' }, 'linkUrl', 'リンクは https://'],
    ['home', { text1: '一行目' }, 'image', '写真を選んでください'],
    ['events', { ...event, date: '2101-01-01' }, 'date', '1924年から2100年まで'],
    ['bussinessDaysSpecial', { ...closed, selectedDay: 32 }, 'selectedDay', 'この日付はありません'],
    ['bussinessDaysSpecial', { ...closed, reason: '' }, 'reason', '理由を選んでください'],
    ['sections', { name: ' ' }, 'name', '分類の名前を入力してください'],
    ['sections', { ...section, served: 'own' }, 'servedFrom', '始まりと終わりの時刻'],
    ['sections', { ...section, shownUntil: '2026-02-30T09:00' }, 'shownUntil', '日付と時刻を選び直してください'],
    ['members', {}, 'username', 'すべての項目を入力してください'],
  ])('rejects an invalid document of %s: %j', async (name, given, field, sentence) => {
    const { call, revisions } = await site()
    const before = await revisions()
    const { status, body } = await call('administrator', 'POST', name, given)
    expect([status, body.field]).toEqual([400, field])
    expect(body.error).toContain(sentence)
    expect(await revisions()).toEqual(before)
  })

  onSqlite('rejects invalid JSON, large bodies, foreign origins and unknown names without a change', async () => {
    const { call, as, revisions } = await site()
    const before = await revisions()
    for (const body of ['{', '[]', 'null', '"text"', ''])
      expect((await call('administrator', 'POST', 'dining', body)).status, body).toBe(400)
    const send = async (headers: Record<string, string>, body: string) =>
      (await as('administrator', '/api/collections/dining', { method: 'POST', headers, body })).status
    const origin = 'http://localhost'
    expect(await send({ origin, 'content-type': 'text/plain' }, JSON.stringify(card))).toBe(415)
    expect(await send({ origin: 'https://elsewhere.example', 'content-type': 'application/json' }, '{}')).toBe(403)
    expect((await call('administrator', 'POST', 'dining', { ...card, content: 'あ'.repeat(300_000) })).status).toBe(413)
    for (const name of ['accounts', 'sessions', 'revisions', 'site', '__proto__', 'toString', 'cards']) {
      expect((await call('administrator', 'GET', name)).status, name).toBe(404)
      expect((await call('administrator', 'POST', name, {})).status, name).toBe(404)
    }
    for (const id of ['none', '..%2Fmembers', "'%20or%201=1"])
      for (const name of collections) expect((await call('administrator', 'GET', `${name}/${id}`)).status).toBe(404)
    expect(await revisions()).toEqual(before)
  })

  onSqlite('rejects deeply nested arrays with a field error', async () => {
    const { call, get } = await site()
    const { version } = await get('administrator', 'pages/dining')
    const depth = 50_000
    const body = `{"version":${version},"order":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const response = await call('administrator', 'PATCH', 'pages/dining', body)
    expect(response).toMatchObject({ status: 400, body: { error: expect.stringContaining('順番'), field: 'order' } })
  })

  test('adds an event only once when two requests have the same ID', async () => {
    const { call, get } = await site()
    const id = '00000000-0000-4000-8000-000000000009'
    const [one, two] = await Promise.all([1, 2].map(() => call('approved', 'POST', 'events', { ...event, id })))
    expect([one?.body.id, two?.body.id]).toEqual([id, id])
    const titles = (await get('guest', 'events')).filter(({ title }: { title: string }) => title === event.title)
    expect(titles).toHaveLength(1)
    // A new ID replaces an invalid ID.
    for (const invalidId of ['week', '../members', [id], 9]) {
      const { status, body } = await call('approved', 'POST', 'events', { ...event, id: invalidId })
      expect([status, body.id], JSON.stringify(invalidId)).toEqual([201, expect.stringMatching(/^[\da-f-]{36}$/)])
      expect(body.id).not.toBe(id)
    }
  })

  test('adds an event only once when two requests have the same ID in upper case', async () => {
    const { call } = await site()
    const id = crypto.randomUUID()
    const add = async () => (await call('approved', 'POST', 'events', { ...event, id: id.toUpperCase() })).body
    const added = await add()
    expect(added).toMatchObject({ ...event, id })
    expect(await add()).toEqual(added)
  })

  test('rejects an event whose ID is in the bin', async () => {
    const { call, get, revisions } = await site()
    const id = crypto.randomUUID()
    await call('approved', 'POST', 'events', { ...event, id })
    await call('approved', 'DELETE', `events/${id}`, { version: 1 })
    const before = [await revisions(), await get('approved', 'events')]
    expect(await call('approved', 'POST', 'events', { ...event, id })).toMatchObject({
      status: 409,
      body: { error: 'この id の予定は、すでにあるか、ごみ箱に入っています。', field: 'id' },
    })
    expect([await revisions(), await get('approved', 'events')]).toEqual(before)
  })

  test('returns events to editors, and not to guests, while the calendar page is hidden', async () => {
    const { call, get, db, clock } = await site()
    await hireStaff(db, clock.now)
    const { version } = await get('administrator', 'pages/calendar')
    await call('administrator', 'PATCH', 'pages/calendar', { version, shown: false })
    const added = await call('editor', 'POST', 'events', event)
    expect(added).toMatchObject({ status: 201, body: event })
    const path = `events/${added.body.id}`
    const changed = await call('editor', 'PATCH', path, { version: 1, title: '新酒の会' })
    expect(changed).toMatchObject({ status: 200, body: { title: '新酒の会', version: 2 } })
    expect(await get('editor', 'events')).toContainEqual(changed.body)
    expect(await get('guest', 'events')).toEqual([])
    expect((await call('guest', 'GET', path)).status).toBe(404)
  })

  onSqlite('rejects writes of approved members when only staff may edit dishes and the calendar', async () => {
    const { call, db } = await site()
    const row = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const facts = JSON.stringify({ ...JSON.parse(row.facts), dishesAndCalendarByStaffOnly: true })
    await db.updateTable('site').set({ facts }).execute()
    for (const [name, given] of [
      ['dining', card],
      ['sections', section],
      ['events', event],
      ['bussinessDaysSpecial', closed],
    ] as const) {
      expect((await call('approved', 'POST', name, given)).status, name).toBe(403)
      expect((await call('administrator', 'POST', name, given)).status, name).toBe(201)
    }
  })
})
