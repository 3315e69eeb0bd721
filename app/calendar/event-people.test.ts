import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import type { Person } from '../../server/tools/demo.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { pageSettingsOf } from '../pages/page-record.server.ts'
import { savePage } from '../pages/pages.server.ts'
import { Event } from './event.ts'
import { addEvent, deleteEvent } from './events.server.ts'
import { eventPeoplePath, hasBegun } from './rsvp.ts'

const id = '00000000-0000-4000-8000-000000000009'
const path = eventPeoplePath(id)
const author = { accountId: null, at: new Date(noon).toISOString() }
// The deadline is over. Noon on 20 November is an hour after the start of the event.
const practice = { day: '2026-11-20', startTime: '11:00', title: '早朝練習', attendance: true, deadline: '2026-11-18' }
const contact = { email: 'secret@example.jp', address: '住所の秘密', telNum: '075-000-1111' }

test('begins an event at its start, or at midnight if the event has no start', () => {
  const event = { day: '2026-11-28', startTime: '09:00' }
  expect(['2026-11-28T08:59', '2026-11-28T09:00', '2026-11-29T00:00'].map((now) => hasBegun(event, now))).toEqual([
    false,
    true,
    true,
  ])
  const allDay = { ...event, startTime: null }
  expect(['2026-11-27T23:59', '2026-11-28T00:00'].map((now) => hasBegun(allDay, now))).toEqual([false, true])
})

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async (overrides: object = {}) => {
    const site = await sampleSite(await createDatabase())
    const { db } = site
    const visitors = await site.people()
    await site.staff()
    await addEvent(db, id, Event.parse({ ...practice, ...overrides }), author)
    const [hana = '', owner = '', applicant = ''] = (['approved', 'administrator', 'applicant'] as const).map(
      (person) => visitors[person]?.member?.id,
    )
    await db.updateTable('members').set(contact).where('id', '=', hana).execute()
    const send = (person: Person, fields: Record<string, string>) =>
      site.post(person, path, { version: '0', ...fields })
    const answers = () => db.selectFrom('answers').selectAll().orderBy('turn').execute()
    const guests = () => db.selectFrom('eventGuests').selectAll().orderBy('turn').execute()
    /** Stores the RSVP of a member as the member's own answer before the deadline. */
    const answer = async (person: 'approved' | 'administrator', fields: Record<string, string>) => {
      const { now } = site.clock
      site.clock.now = Date.parse('2026-11-18T12:00:00+09:00')
      await site.post(person, '/memberlist', { event: id, version: '0', answer: 'yes', ...fields })
      site.clock.now = now
    }
    const html = async (person: Person, url = path) => (await site.as(person, url)).text()
    const file = async (person: Person, url = `${path}.csv`) => {
      const response = await site.as(person, url)
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, bytes, text: bytes.toString('utf8') }
    }
    /** Sends the undo form of a response. */
    const undo = async (person: Person, response: Response) => {
      const form = /<form[^>]*action="([^"]+)"[^>]*>((?:(?!<\/form>).)*)元に戻す/s.exec(await response.text())
      const fields = [...(form?.[2] ?? '').matchAll(/name="([^"]+)" value="([^"]*)"/g)]
      return site.post(person, form?.[1] ?? '', Object.fromEntries(fields.map(([, name, value]) => [name, value])))
    }
    return { ...site, hana, owner, applicant, send, answers, guests, answer, html, file, undo }
  }

  onSqlite('gives organisers the answer link of each member until RSVPs close', async () => {
    const { html, as, clock } = await createSite({ deadline: null })
    clock.now = Date.parse('2026-11-19T12:00:00+09:00')
    const links = [...(await html('editor')).matchAll(/\/answer\?token=[\w.-]+/g)].map(([link]) => link)
    const answered = await Promise.all([...new Set(links)].map(async (link) => (await as('guest', link)).text()))
    expect(answered.filter((page) => page.includes('桜井 花'))).toHaveLength(1)
    expect(answered.every((page) => page.includes('早朝練習'))).toBe(true)
    for (const person of ['guest', 'approved'] as const) expect(await html(person)).not.toContain('/answer?token=')
    clock.now = Date.parse('2026-11-21T00:00:00+09:00')
    expect(await html('editor')).not.toContain('/answer?token=')
  })

  onSqlite.each([
    ['guest', 401],
    ['signedIn', 403],
    ['applicant', 403],
    ['approved', 403],
    ['editor', 200],
    ['manager', 200],
    ['administrator', 200],
  ] as const)('responds to %s with status %i and shows no names without permission', async (person, status) => {
    const { hana, send, answers, html, file } = await createSite()
    expect((await send(person, { member: hana, answer: 'yes' })).status).toBe(status)
    expect(await answers()).toHaveLength(status === 200 ? 1 : 0)
    expect((await send(person, { name: '田中 一郎' })).status).toBe(status)
    const names = [await html(person), await html(person, `${path}.data`)]
    for (const body of names) expect(body.includes('暖簾 結')).toBe(status === 200)
    for (const url of [`${path}.csv`, '/memberlist.csv']) {
      const { status: actual, headers, text } = await file(person, url)
      expect(actual, url).toBe(status)
      expect(text.includes('桜井 花'), url).toBe(status === 200)
      expect(headers.get('content-type'), url).toMatch(status === 200 ? /^text\/csv/ : /^text\/plain/)
      if (status === 200) expect(headers.get('cache-control')).toBe('private, no-store')
    }
  })

  onSqlite('shows contact details and notes only to administrators', async () => {
    const { answer, html, file, send, hana, applicant, db, clock } = await createSite({ deadline: '2026-11-20' })
    await answer('approved', { note: '車で行きます' })
    await send('editor', { member: hana, version: '1', came: 'yes' })
    const urls = [path, `${path}.data`, `${path}.csv`, '/memberlist.csv', '/calendar?month=2026-11', '/memberlist']
    const secrets = [...Object.values(contact), '車で行きます', '若葉 翔']
    for (const url of urls)
      for (const secret of secrets) expect(await html('editor', url), `${url} ${secret}`).not.toContain(secret)
    for (const person of ['administrator', 'manager'] as const) {
      expect(await html(person)).toContain('車で行きます')
      expect((await file(person)).text).toContain('車で行きます')
      const { text } = await file(person, '/memberlist.csv')
      for (const secret of Object.values(contact)) expect(text).toContain(secret)
      expect(text).not.toContain('若葉 翔')
      for (const secret of Object.values(contact)) expect(await html(person)).not.toContain(secret)
    }
    await db.updateTable('members').set({ resting: true }).where('id', '=', hana).execute()
    clock.now += 1
    expect(await html('editor')).not.toContain('桜井 花')
    expect((await file('editor', '/memberlist.csv')).text).toContain('"桜井 花","はな","休会中"\r\n')
    expect((await send('editor', { member: hana, answer: 'no', version: '2' })).status).toBe(404)
    expect((await send('editor', { member: applicant, answer: 'yes' })).status).toBe(404)
  })

  onSqlite('links the page in the event dialog and in the member list only for organisers', async () => {
    const { html } = await createSite()
    const dialog = `/calendar?month=2026-11&event=${id}`
    for (const [person, url, isLinked] of [
      ['administrator', dialog, true],
      ['editor', dialog, true],
      ['approved', dialog, false],
      ['guest', dialog, false],
      ['administrator', '/memberlist', true],
      ['approved', '/memberlist', false],
    ] as const)
      expect((await html(person, url)).includes(`href="${path}"`), `${person} ${url}`).toBe(isLinked)
  })

  test('saves the RSVP of a member after the deadline and names the organiser in the history', async () => {
    const { post, send, answers, html, hana, db } = await createSite()
    const late = await post('approved', '/memberlist', { event: id, version: '0', answer: 'yes' })
    expect([late.status, await answers()]).toEqual([409, []])
    const saved = await send('editor', { member: hana, answer: 'yes', companions: '1' })
    expect(await saved.text()).toContain('桜井 花 さんを「参加」にしました。')
    expect(await answers()).toMatchObject([{ memberId: hana, answer: 'yes', companions: 1, came: null, version: 1 }])
    expect(await db.selectFrom('revisions').select('accountId').where('subject', '=', 'answer').execute()).toEqual([
      { accountId: 'demo-editor' },
    ])
    const page = await html('administrator')
    expect(page).toContain('土鍋 実 さんが変更しました')
    expect(page).toContain('参加・お連れ様1名')
    expect(page).toContain('参加 2名')
    expect(page).toContain('未回答 1名')
  })

  test('saves a repeated form once, and rejects an outdated form', async () => {
    const { send, answers, guests, hana } = await createSite()
    const forms: Record<string, string>[] = [
      { member: hana, answer: 'yes', once: 'key-1' },
      { name: '田中 一郎', once: 'key-1' },
    ]
    for (const fields of forms) for (const _ of [1, 2]) expect((await send('editor', fields)).status).toBe(200)
    expect(await answers()).toMatchObject([{ version: 1 }])
    expect(await guests()).toMatchObject([{ name: '田中 一郎', version: 1 }])
    const outdated = await send('manager', { member: hana, answer: 'no', once: 'key-2' })
    expect([outdated.status, await outdated.text()]).toEqual([409, expect.stringContaining('先に回答されています')])
    const outdatedGuest = await send('manager', { guest: (await guests())[0]?.id ?? '', name: '田中 二郎' })
    expect([outdatedGuest.status, await outdatedGuest.text()]).toEqual([409, expect.stringContaining('先に変更')])
    expect([await answers(), await guests()]).toMatchObject([[{ answer: 'yes' }], [{ name: '田中 一郎' }]])
  })

  test('changes a guest once when the form is repeated after a lost response', async () => {
    const { send, guests } = await createSite()
    await send('editor', { name: '田中 一郎' })
    const change = { guest: (await guests())[0]?.id ?? '', version: '1', name: '田中 二郎', once: 'key-1' }
    for (const _ of [1, 2]) expect((await send('editor', change)).status).toBe(200)
    expect(await guests()).toMatchObject([{ name: '田中 二郎', version: 2 }])
  })

  test.each([
    ['an answer', { answer: 'yes' }, { answer: 'no' }],
    ['the name of a new guest', { name: '田中 一郎' }, { name: '田中 二郎' }],
  ])('rejects %s that was changed after the first response was lost', async (_, first, changed) => {
    const { send, answers, guests, hana } = await createSite()
    const form = { ...('answer' in first && { member: hana }), once: 'key-1' }
    await send('editor', { ...form, ...first })
    const stored = [await answers(), await guests()]
    const refused = await send('editor', { ...form, ...changed })
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('まだ保存していません')])
    expect([await answers(), await guests()]).toEqual(stored)
  })

  test('restores the note, the attendance and the queue position when an organiser undoes a change', async () => {
    const { answer, send, undo, answers, hana, owner, clock } = await createSite({ capacity: 1 })
    await answer('approved', { note: '車で行きます' })
    await answer('administrator', {})
    await send('editor', { member: hana, version: '1', came: 'yes' })
    const before = (await answers())[0]
    expect(before).toMatchObject({ memberId: hana, came: true, note: '車で行きます', turn: 1 })
    clock.now += 60_000
    const mistake = await send('editor', { member: hana, version: '2', answer: 'no' })
    expect(await answers()).toMatchObject([{ memberId: owner }, { memberId: hana, answer: 'no', note: '車で行きます' }])
    const undone = await undo('editor', mistake)
    expect(await undone.text()).toContain('桜井 花 さんの出欠を元に戻しました。')
    expect((await answers())[0]).toEqual({ ...before, version: 4, updatedAt: new Date(clock.now).toISOString() })
    // Without an RSVP before, the undo withdraws the RSVP.
    const other = await send('manager', { member: owner, version: '1', answer: 'maybe' })
    await send('editor', { member: owner, version: '2', answer: 'no' })
    const late = await undo('manager', other)
    expect(late.status).toBe(409)
    expect((await answers()).find(({ memberId }) => memberId === owner)).toMatchObject({ answer: 'no', version: 3 })
  })

  test('withdraws an RSVP when the organiser undoes the first answer of a member', async () => {
    const { send, undo, answers, hana } = await createSite()
    await undo('editor', await send('editor', { member: hana, answer: 'yes' }))
    expect(await answers()).toEqual([])
  })

  test('records who came only after the start, and keeps the answer', async () => {
    const { answer, send, answers, html, hana, owner, clock } = await createSite()
    await answer('approved', { answer: 'maybe', note: '行けるかも' })
    clock.now = Date.parse('2026-11-20T10:59:00+09:00')
    const early = await send('editor', { member: hana, version: '1', came: 'yes' })
    expect([early.status, await early.text()]).toEqual([409, expect.stringContaining('予定が始まってから')])
    expect(await html('editor')).not.toContain('来なかった')
    clock.now = Date.parse('2026-11-20T11:00:00+09:00')
    expect(await html('editor')).toContain('来なかった')
    await send('editor', { member: hana, version: '1', came: 'yes' })
    // A member without an RSVP gets one.
    await send('editor', { member: owner, came: 'no' })
    expect(await answers()).toMatchObject([
      { memberId: hana, answer: 'maybe', note: '行けるかも', came: true },
      { memberId: owner, answer: 'yes', came: false },
    ])
    expect(await html('editor')).toContain('来た方 1名')
  })

  test('hides who came when the event is moved to the future, until the move is undone', async () => {
    const { hana, send, guests, post, file, clock } = await createSite()
    await send('editor', { member: hana, came: 'yes' })
    await send('editor', { name: '田中 一郎' })
    const [guest] = await guests()
    await send('editor', { guest: guest?.id ?? '', version: '1', came: 'no' })
    const readCame = async () => (await file('editor')).text.match(/来た|来なかった/g)
    expect(await readCame()).toEqual(['来た', '来なかった'])
    const moved = await post('editor', '/calendar.data', { intent: 'move', id, version: '1', day: '2026-11-27' })
    expect(await readCame()).toBeNull()
    const { undo } = await actionDataOf<SaveResult>(moved)
    await post('editor', '/undo', undo?.fields ?? {})
    expect(await readCame()).toEqual(['来た', '来なかった'])
    await post('editor', '/calendar', { intent: 'move', id, version: '3', day: '2026-11-27' })
    clock.now = Date.parse('2026-11-27T12:00:00+09:00')
    expect((await send('editor', { member: hana, version: '1', answer: 'yes', companions: '1' })).status).toBe(200)
    expect((await send('editor', { guest: guest?.id ?? '', version: '2', name: '田中 次郎' })).status).toBe(200)
    expect(await readCame()).toBeNull()
  })

  test('gives a guest a seat in the queue, and returns a restored guest to it', async () => {
    const { send, post, html, file, guests, hana, db, clock } = await createSite({ capacity: 1 })
    const added = await send('editor', { name: ' 田中 一郎 ' })
    expect(await added.text()).toContain('田中 一郎 さんを追加しました。')
    await send('editor', { member: hana, answer: 'yes' })
    const [guest] = await guests()
    expect(guest).toMatchObject({ eventId: id, name: '田中 一郎', came: null, turn: 1 })
    expect((await file('editor')).text).toContain('"桜井 花","メンバー","キャンセル待ち1番目"')
    const ref = (version: number) => ({ guest: guest?.id ?? '', version: String(version) })
    await send('editor', { ...ref(1), name: '田中 二郎' })
    await send('editor', { ...ref(2), came: 'yes' })
    expect(await guests()).toMatchObject([{ name: '田中 二郎', came: true, turn: 1 }])
    expect(await html('editor')).toContain('ゲスト「田中 二郎」・来た')
    await send('editor', { ...ref(3), remove: 'yes' })
    expect(await html('editor')).toContain('参加 1名／1名')
    expect((await file('editor')).text).toContain('"桜井 花","メンバー","参加"')
    const removal = db.selectFrom('revisions').select('saveId').where('action', '=', 'delete')
    const { saveId: save } = await removal.where('subject', '=', 'guest').executeTakeFirstOrThrow()
    expect((await post('approved', '/undo', { save })).status).toBe(403)
    expect((await post('editor', '/undo', { save })).status).toBe(200)
    expect(await guests()).toMatchObject([{ name: '田中 二郎', came: true, turn: 1, deletedAt: null }])
    await send('editor', { ...ref(5), remove: 'yes' })
    expect(await html('approved', '/bin')).not.toContain('田中')
    expect(await html('editor', '/bin')).toContain('田中 二郎（ゲスト）')
    clock.now += 60_000
    expect((await post('editor', '/bin', { kind: 'guest', id: guest?.id ?? '' })).status).toBe(200)
    expect((await file('editor')).text).toContain('"桜井 花","メンバー","キャンセル待ち1番目"')
    const actions = await db.selectFrom('revisions').select('action').where('subject', '=', 'guest').execute()
    expect(actions).toHaveLength(7)
    for (const fields of [{ name: '' }, { ...ref(7), name: '' }, { name: '長'.repeat(101) }])
      expect((await send('editor', fields)).status).toBe(400)
  })

  test('publishes the topic `answers` to other organisers', async () => {
    const { send, live, hana } = await createSite()
    const published: unknown[] = []
    live.subscribe((message) => published.push(message))
    await send('editor', { member: hana, answer: 'yes' })
    await send('editor', { name: '田中 一郎' })
    expect(published).toEqual([{ changed: ['answers'] }, { changed: ['answers'] }])
  })

  onSqlite('rejects invalid forms and missing events', async () => {
    const { send, as, hana, answers, db, post } = await createSite({ capacity: 2 })
    for (const [fields, status] of [
      [{ member: hana, answer: 'perhaps' }, 400],
      [{ member: hana, answer: '' }, 400],
      [{ member: hana, came: 'toString' }, 400],
      [{ member: hana, answer: 'yes', companions: '3' }, 400],
      [{ member: hana, answer: 'yes', companions: '2' }, 409],
      [{ member: 'none', answer: 'yes' }, 404],
      [{ guest: 'none', name: '田中' }, 404],
      [{ guest: 'none', remove: 'yes' }, 404],
    ] as const)
      expect((await send('administrator', fields)).status, JSON.stringify(fields)).toBe(status)
    expect(await answers()).toEqual([])
    await addEvent(db, 'quiet', Event.parse({ ...practice, attendance: false }), author)
    await addEvent(db, 'cancelled', Event.parse(practice), author)
    await deleteEvent(db, { id: 'cancelled', version: 1 }, author)
    for (const other of ['none', 'quiet', 'cancelled']) {
      for (const url of [eventPeoplePath(other), `${eventPeoplePath(other)}.csv`])
        expect((await as('editor', url)).status, url).toBe(404)
      expect((await post('editor', eventPeoplePath(other), { name: '田中' })).status).toBe(404)
    }
    const circle = { ...pageSettingsOf('tennisrelated', undefined), shown: false }
    await savePage(db, 'tennisrelated', { version: 0, facts: circle }, author)
    for (const url of [path, `${path}.csv`, '/memberlist.csv']) expect((await as('editor', url)).status, url).toBe(404)
  })

  onSqlite('writes CSV files that Excel opens and that run no formula', async () => {
    const { send, file, answer, db, hana } = await createSite({ title: '練習 "朝"/夜' })
    await db.updateTable('members').set({ username: '桜井 "花", 妹' }).where('id', '=', hana).execute()
    await answer('approved', { note: '=HYPERLINK("https://evil.example")', companions: '1' })
    for (const name of ['=1+1', '+81', '-2', '@SUM', '＝1']) await send('editor', { name })
    const { bytes, text, headers } = await file('administrator')
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(text.slice(1)).toBe(
      [
        '"お名前","区分","出欠","お連れ様","来場","ひとこと"',
        '"桜井 ""花"", 妹","メンバー","参加","1","","\'=HYPERLINK(""https://evil.example"")"',
        ...["'=1+1", "'+81", "'-2", "'@SUM", "'＝1"].map((name) => `"${name}","ゲスト","参加","0","",""`),
        '',
      ].join('\r\n'),
    )
    const name = encodeURIComponent('2026-11-20 練習 _朝__夜の参加者.csv')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="list.csv"; filename*=UTF-8''${name}`)
    const members = await file('editor', '/memberlist.csv')
    expect(members.text.slice(1).split('\r\n')[0]).toBe('"お名前","アカウント名","状態"')
    expect(members.headers.get('content-disposition')).toContain(
      `filename*=UTF-8''${encodeURIComponent('メンバー一覧.csv')}`,
    )
    const { text: all } = await file('manager', '/memberlist.csv')
    expect(all.slice(1).split('\r\n')[0]).toBe('"お名前","アカウント名","メールアドレス","ご住所","電話番号","状態"')
  })
})
