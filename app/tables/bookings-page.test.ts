import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { readForms } from '../../server/testing-forms.ts'
import type { Person } from '../../server/tools/demo.ts'
import { addBooking, listBookings, readBooking } from '../bookings/bookings.server.ts'
import { noHourFields } from '../hours/hour-fields.ts'
import { readSite, readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import type { BookingResult } from './booking-form.tsx'

// The clock of the test site starts at noon on Friday, 20 November 2026. On Saturday, the shop is open from 7:30 to 10:00
// and from 11:30 to 14:00.
const today = '2026-11-20'
const saturday = '2026-11-21'
const day = `/tables?day=${saturday}`
const author = { accountId: null, at: new Date(noon).toISOString() }
const wish = {
  day: saturday,
  time: '12:00',
  party: 4,
  name: '松本 梅',
  telephone: '075-123-4567',
  email: '',
  wish: '窓側',
}
const call = { intent: 'enter', day: saturday, time: '12:30', party: '2', name: '竹内', once: 'k1' }

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async (facts: Partial<SiteSettings> = { takesTableRequests: true }, verifies = false) => {
    const site = await sampleSite(await createDatabase(), {}, { verifies })
    await site.people()
    await site.staff()
    const { version } = await readSiteToEdit(site.db)
    await saveSite(site.db, { version, facts }, author)
    const ask = async (changes: object = {}) => {
      const id = crypto.randomUUID()
      await addBooking(site.db, { ...wish, id, state: 'asked', byStaff: false, ...changes }, author)
      return id
    }
    const send = (person: Person, fields: Record<string, string>, path = '/tables') =>
      site.post(person, path, { version: '1', ...fields })
    const html = async (person: Person, path = '/tables') =>
      (await (await site.as(person, path)).text()).replaceAll('<!-- -->', '')
    const read = async (id: string) => {
      const booking = await readBooking(site.db, id)
      return booking && { state: booking.state, reply: booking.reply, version: booking.version }
    }
    /** Sends the undo of a toast, whose save is the last one. */
    const undo = async (person: Person) => {
      const { saveId } = await site.db
        .selectFrom('revisions')
        .select('saveId')
        .where('subject', '=', 'booking')
        .orderBy('at', 'desc')
        .orderBy('version', 'desc')
        .executeTakeFirstOrThrow()
      return site.post(person, '/undo', { save: saveId })
    }
    return { ...site, ask, send, html, read, undo }
  }

  onSqlite.each([
    ['guest', 401],
    ['signedIn', 403],
    ['approved', 403],
    ['editor', 200],
    ['manager', 200],
    ['administrator', 200],
  ] as const)('responds to %s with status %i and shows no guests without permission', async (person, status) => {
    const { ask, send, html, read } = await createSite()
    const id = await ask()
    const answer = { intent: 'answer', booking: id, state: 'accepted', reply: 'お待ちしております' }
    expect((await send(person, answer)).status).toBe(status)
    expect((await read(id))?.state).toBe(status === 200 ? 'accepted' : 'asked')
    expect((await send(person, call)).status).toBe(status)
    for (const path of [day, `/tables.data?day=${saturday}`, `/today?day=${saturday}`, '/today.data', '/inbox'])
      expect((await html(person, path)).includes('松本 梅'), path).toBe(status === 200 && path !== '/inbox')
    expect((await send(person, { intent: 'day', day: saturday })).status).toBe(person === 'editor' ? 403 : status)
  })

  onSqlite('has no trace on any page without the switch', async () => {
    const { ask, send, html, as } = await createSite({})
    await ask()
    for (const person of ['guest', 'approved', 'editor', 'administrator'] as const) {
      for (const path of ['/tables', day, '/tables.data']) expect((await as(person, path)).status, path).toBe(404)
      expect((await send(person, call)).status).toBe(404)
      for (const path of ['/today', '/inbox', '/bussinessdays', '/today.data', '/inbox.data']) {
        const page = await html(person, path)
        expect(page, path).not.toMatch(/お席の|松本|\/tables|"(?:tables|requests)"/)
      }
    }
    const closed = await send('editor', { intent: 'close', day: saturday, version: '0' }, '/today')
    expect([closed.status, (await closed.text()).includes('お席')]).toEqual([200, false])
  })

  test.for([
    ['accepted', {}, 'お席を確定しました。'],
    ['declined', {}, 'お断りしました。'],
    ['offered', { offer: `${saturday} 12:30` }, '別の時間をご案内しました。'],
    ['cancelled', {}, '取り消しました。'],
  ] as const)('answers a request with %s and undoes the answer', async ([state, extra, done]) => {
    const { ask, send, read, undo, db } = await createSite()
    const id = await ask()
    const response = await send('editor', { intent: 'answer', booking: id, state, reply: 'お返事です', ...extra })
    const text = (await response.text()).replaceAll('<!-- -->', '')
    expect([response.status, text.includes(done)]).toEqual([200, true])
    expect(text).toContain('075-123-4567 へお電話でお伝えください。')
    expect(await read(id)).toEqual({ state, reply: 'お返事です', version: 2 })
    const at = await listBookings(db, saturday, saturday)
    expect(at[0]).toMatchObject(
      state === 'offered' ? { offeredDay: saturday, offeredTime: '12:30' } : { offeredDay: null },
    )
    expect((await undo('editor')).status).toBe(200)
    expect(await read(id)).toEqual({ state: 'asked', reply: '', version: 3 })
  })

  test.for([
    ['without a hint to telephone', true, /様：お席を確定しました。(?!075)/],
    ['with a hint to telephone', false, /様：お席を確定しました。075-123-4567 へお電話でお伝えください。/],
  ] as const)('reports an answer to an e-mail address %s when `verifies` is %s', async ([, verifies, done]) => {
    const { ask, send } = await createSite(undefined, verifies)
    const id = await ask({ email: 'hana@example.jp' })
    const answer = { intent: 'answer', booking: id, state: 'accepted', reply: '' }
    expect((await (await send('editor', answer)).text()).replaceAll('<!-- -->', '')).toMatch(done)
  })

  test('reports the present state after a conflict and changes nothing', async () => {
    const { ask, send, read } = await createSite()
    const id = await ask()
    await send('editor', { intent: 'answer', booking: id, state: 'accepted', reply: 'はい' })
    for (const version of ['1', '2']) {
      const late = await send('manager', { intent: 'answer', booking: id, state: 'declined', reply: '', version })
      expect(late.status).toBe(409)
      expect(await late.text()).toContain('現在は「確定」です。')
    }
    expect(await read(id)).toEqual({ state: 'accepted', reply: 'はい', version: 2 })
  })

  onSqlite.each([
    [{ intent: 'answer', state: 'asked' }, 400],
    [{ intent: 'answer', state: 'offered', offer: 'tomorrow 25' }, 400],
    [{ intent: 'answer', state: 'accepted', reply: 'あ'.repeat(1001) }, 400],
    [{ intent: 'answer', state: 'accepted', booking: 'none' }, 404],
    [{ intent: 'came', came: 'perhaps' }, 400],
    [{ intent: 'enter', ...{ day: '2026-02-30', time: '12:00', party: '2', name: '竹内' } }, 400],
    [{ ...call, party: '0' }, 400],
    [{ ...call, party: '201' }, 400],
    [{ ...call, time: '48:00' }, 400],
    [{ ...call, name: ' ' }, 400],
    [{ intent: 'delete', booking: 'none' }, 404],
    [{ intent: 'day', day: 'never' }, 400],
    [{ intent: 'something' }, 400],
  ])('rejects %o with status %i', async (fields, status) => {
    const { ask, send, db } = await createSite()
    const id = await ask()
    const isNew = fields.intent === 'enter'
    expect((await send('manager', { ...(!isNew && { booking: id }), ...fields } as never)).status).toBe(status)
    const stored = await listBookings(db, today)
    expect(stored.map(({ state, version }) => [state, version])).toEqual([['asked', 1]])
  })

  test('shows the stored booking after a conflict, and saves the form that is sent again with its version', async () => {
    const { ask, send, post, db } = await createSite()
    const id = await ask({ state: 'accepted' })
    const entry = { ...wish, intent: 'enter', booking: id, party: '4' }
    await send('editor', { ...entry, party: '5', wish: '', telephone: '075-999-0000' })
    const late = { ...entry, wish: '車いすで伺います', version: '1' }
    const { trouble, newer } = await actionDataOf<BookingResult>(await post('manager', '/tables.data', late))
    expect(trouble).toMatch(
      /^ほかの方が先に変更しました。現在は「確定」です。保存されている内容：11月21日（土） 12:00、5名、松本 梅 様、075-999-0000。/,
    )
    expect(await readBooking(db, id)).toMatchObject({ party: 5, wish: '', version: 2 })
    expect((await send('manager', { ...late, version: String(newer) })).status).toBe(200)
    expect(await readBooking(db, id)).toMatchObject({ party: 4, wish: '車いすで伺います', version: 3 })
    expect((await send('manager', { ...late, version: String(newer) })).status).toBe(409)
  })

  test('enters a booking by telephone once and warns beyond the limits', async () => {
    const { send, ask, html, db } = await createSite()
    await ask({ time: '12:30', party: 6, name: '先の方' })
    const responses = await Promise.all([
      send('editor', { ...call, party: '3' }),
      send('editor', { ...call, party: '3' }),
    ])
    for (const response of responses) {
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('この時間は合わせて9名になり、上限の8名を超えます。')
    }
    const stored = await listBookings(db, saturday)
    expect(stored.filter(({ name }) => name === '竹内')).toMatchObject([{ state: 'accepted', byStaff: true, party: 3 }])
    const page = await html('editor', day)
    expect(page).toContain('2組 9名')
    expect(page).toContain('この時間は合わせて9名になり、上限の8名を超えます。')
    expect(page.indexOf('先の方')).toBeGreaterThan(0)
  })

  test('rejects a booking that was changed after its response was lost', async () => {
    const { send, db } = await createSite()
    await send('editor', call)
    const changed = await send('editor', { ...call, time: '13:00', party: '4' })
    const text = await changed.text()
    expect([changed.status, text]).toEqual([409, expect.stringContaining('いまの内容はまだ保存していません')])
    expect(text).not.toContain('を保存しました')
    expect((await send('editor', call)).status).toBe(200)
    expect(await listBookings(db, saturday)).toMatchObject([{ time: '12:30', party: 2 }])
  })

  test('changes a booking, and moves it to its new day', async () => {
    const { send, ask, html, db, read } = await createSite()
    const id = await ask({ state: 'accepted', byStaff: true })
    const changes = { ...call, booking: id, day: '2026-11-22', time: '24:30', party: '5', telephone: '075-999-0000' }
    expect((await send('editor', changes)).status).toBe(200)
    expect((await send('editor', { ...changes, name: '別の人' })).status).toBe(409)
    expect(await readBooking(db, id)).toMatchObject({ name: '竹内', time: '24:30', party: 5, wish: '' })
    expect(await read(id)).toMatchObject({ state: 'accepted', version: 2 })
    const page = await html('editor', `/tables?day=2026-11-22&booking=${id}`)
    expect(page).toContain('翌0:30')
    expect(page).toContain('変更履歴')
    expect(page).toContain('松本 梅')
    expect(await html('editor', day)).toContain('この日のお席は、まだありません。')
  })

  test.for([
    ['a button', '4', undefined, 4],
    ['a number', '10', '12', 12],
  ] as const)('changes a party of ten by %s', async ([, button, typedNumber, party]) => {
    const { ask, post, html, db } = await createSite()
    const id = await ask({ party: 10, state: 'accepted', byStaff: true })
    const form = readForms(await html('editor', `${day}&booking=${id}`)).find(({ fields }) =>
      fields.some(([name, value]) => name === 'booking' && value === id),
    )
    const [parties, others] = [true, false].map(
      (isParty) => form?.fields.filter(([name]) => (name === 'party') === isParty) ?? [],
    )
    const number = typedNumber ?? parties?.at(-1)?.[1] ?? ''
    const body = new URLSearchParams([['party', button], ['party', number], ...(others ?? [])])
    expect((await post('editor', '/tables', body)).status).toBe(200)
    expect((await readBooking(db, id))?.party).toBe(party)
  })

  test('accepts the offered time when the staff save it', async () => {
    const { send, ask, db } = await createSite()
    const id = await ask()
    await send('editor', { intent: 'answer', booking: id, state: 'offered', offer: `${saturday} 12:30`, reply: '' })
    await send('editor', { ...call, booking: id, version: '2', name: '松本 梅' })
    expect(await readBooking(db, id)).toMatchObject({ state: 'accepted', time: '12:30', offeredTime: null })
  })

  test.for([
    ['a declined request is confirmed', { state: 'declined' }, {}],
    ['an offer is confirmed', { state: 'offered', offer: `${saturday} 12:30` }, {}],
    ['a confirmed booking is moved', { state: 'accepted' }, { time: '13:00' }],
  ] as const)('removes the reply of the earlier state when %s', async ([, answer, changes]) => {
    const { send, ask, read } = await createSite()
    const id = await ask()
    await send('editor', { intent: 'answer', booking: id, reply: '12時のお返事です', ...answer })
    const entry = { ...wish, party: '4', intent: 'enter', booking: id, version: '2', ...changes }
    expect((await send('editor', entry)).status).toBe(200)
    expect(await read(id)).toEqual({ state: 'accepted', reply: '', version: 3 })
  })

  test('keeps the reply and the visit when the time of a confirmed booking stays', async () => {
    const { send, ask, db, clock } = await createSite()
    const id = await ask()
    await send('editor', { intent: 'answer', booking: id, state: 'accepted', reply: 'お待ちしております' })
    clock.now = Date.parse('2026-11-21T12:10:00+09:00')
    await send('editor', { intent: 'came', booking: id, came: 'yes', version: '2' })
    await send('editor', { ...wish, party: '3', intent: 'enter', booking: id, version: '3' })
    expect(await readBooking(db, id)).toMatchObject({ party: 3, came: true, reply: 'お待ちしております' })
  })

  test('records the visit only from the time of the booking on', async () => {
    const { send, ask, html, db, clock } = await createSite()
    const id = await ask({ state: 'accepted', time: '24:30' })
    clock.now = Date.parse('2026-11-22T00:29:00+09:00')
    const early = await send('editor', { intent: 'came', booking: id, came: 'yes' })
    expect([early.status, (await readBooking(db, id))?.came]).toEqual([409, null])
    expect(await html('editor', day)).not.toContain('name="came"')
    clock.now += 60_000
    expect(await html('editor', day)).toContain('name="came"')
    expect((await send('editor', { intent: 'came', booking: id, came: 'yes' })).status).toBe(200)
    expect((await readBooking(db, id))?.came).toBe(true)
    await send('editor', { intent: 'came', booking: id, came: 'no', version: '2' })
    expect((await readBooking(db, id))?.came).toBe(false)
  })

  test.for([
    ['moves to another day', { ...wish, party: '4', intent: 'enter', day: '2026-11-22' }, '確定'],
    ['is cancelled', { intent: 'answer', state: 'cancelled', reply: '' }, '取り消し'],
  ] as const)('removes the recorded visit when the booking %s', async ([, changes, label]) => {
    const { send, ask, html, db, clock } = await createSite()
    const id = await ask({ state: 'accepted' })
    clock.now = Date.parse('2026-11-21T12:10:00+09:00')
    await send('editor', { intent: 'came', booking: id, came: 'no' })
    expect((await send('editor', { ...changes, booking: id, version: '2' })).status).toBe(200)
    const booking = await readBooking(db, id)
    expect(booking?.came).toBeNull()
    const page = await html('editor', `/tables?day=${booking?.day}`)
    expect(page).toMatch(new RegExp(`data-state="${booking?.state}">${label}<`))
    expect(page).not.toMatch(/data-state="[^"]*">来店なし</)
  })

  test('moves a booking into the bin and restores it by an undo', async () => {
    const { send, ask, html, read, undo } = await createSite()
    const id = await ask({ state: 'accepted' })
    const remove = { intent: 'delete' }
    const removed = await send('editor', remove, `${day}&booking=${id}`)
    expect([removed.status, removed.headers.get('location')]).toEqual([302, day])
    expect(await read(id)).toBeNull()
    expect(await html('editor', day)).not.toContain('松本 梅')
    expect(await html('editor', '/bin')).toContain('松本 梅 様（4名）')
    expect((await undo('editor')).status).toBe(200)
    expect(await html('editor', day)).toContain('松本 梅')
  })

  test('stops and resumes the requests of a day', async () => {
    const { send, html, db } = await createSite()
    const daysWithout = async () => (await readSite(db)).tableDaysWithout
    expect((await send('manager', { intent: 'day', day: saturday, takes: '' })).status).toBe(200)
    expect(await daysWithout()).toEqual([saturday])
    expect(await html('manager', day)).toContain('この日のお申し込みを受け付ける')
    expect(await html('editor', day)).not.toContain('この日のお申し込みを受け付ける')
    await send('manager', { intent: 'day', day: saturday, takes: 'yes' })
    expect(await daysWithout()).toEqual([])
  })

  onSqlite('prepares English replies with their meaning, and asks for a call without an e-mail address', async () => {
    const { ask, html } = await createSite()
    await ask({ name: 'Emily', language: 'en', email: 'emily@example.com' })
    const page = await html('editor', '/today')
    expect(page).toContain('Thank you for your request. We look forward to welcoming you.')
    expect(page).toContain('意味：お申し込みありがとうございます。')
    expect(page).toContain('メールは届きません。お電話でお伝えください')
    expect(page).toContain('href="tel:0751234567"')
    expect(await html('manager', '/inbox')).toContain('Emily')
  })

  onSqlite('tells where a guest without a telephone number sees the reply', async () => {
    const { ask, html } = await createSite()
    await ask({ telephone: '', email: 'emily@example.com' })
    const page = await html('editor', '/tables')
    expect(page).toContain('メールは届きません。お返事は、お客さまのページに表示されます。')
    expect(page).not.toContain('お電話でお伝えください')
  })

  onSqlite('offers the nearest free time', async () => {
    const { ask, html } = await createSite()
    await ask({ time: '12:30', party: 6, state: 'accepted' })
    await ask({ time: '12:00', party: 6, name: '新しい方' })
    const page = await html('editor', '/tables')
    expect(page).toMatch(/<option value="2026-11-21 11:30" selected="">11月21日（土） 11:30<\/option>/)
    expect(page).toContain('11月21日（土） 12:30（上限を超えます）')
    expect(page).not.toContain('value="2026-11-21 12:00"')
  })

  const close = { intent: 'close', day: saturday, version: '0' }

  test('asks before closing a day with tables, then prepares the messages', async () => {
    const { ask, send, html, db, read } = await createSite()
    const id = await ask({ state: 'accepted' })
    await ask({ state: 'cancelled', name: '取消済' })
    const asked = await send('editor', close, `/today?day=${saturday}`)
    const question = (await asked.text()).replaceAll('<!-- -->', '')
    expect(asked.status).toBe(409)
    expect(question).toContain('お席のお申し込み1件が、営業時間の外になります（11月21日（土） 12:00 4名）。')
    expect(question).toContain('お休みにする')
    expect(await db.selectFrom('specialDays').select('day').where('day', '=', saturday).execute()).toEqual([])
    const closed = await send('editor', { ...close, sure: 'yes' }, `/today?day=${saturday}`)
    expect(closed.status).toBe(200)
    expect(await closed.text()).toMatch(new RegExp(`href="/tables\\?day=${saturday}"[^>]*>お席の方に知らせる`))
    const page = await html('editor', day)
    expect(page).toContain('営業時間の外になったお席 1件')
    expect(page).toContain('お断りのお返事を送る')
    expect(page).toMatch(/href="\/notices\/new\/add\?[^"]*"[^>]*>お知らせを書く/)
    const reply = 'お店の都合により、お席をご用意できなくなりました。'
    await send('editor', { intent: 'answer', booking: id, state: 'cancelled', reply })
    expect(await read(id)).toMatchObject({ state: 'cancelled', reply })
    expect(await html('editor', day)).not.toContain('営業時間の外になったお席')
    // The day is closed already, so its text is saved without a question.
    expect((await send('editor', { ...close, intent: 'words', note: '改装', version: '1' }, '/today')).status).toBe(200)
  })

  const hours = { ...noHourFields, starttime1_hour: '07', starttime1_minute: '30', endtime1_hour: '10' }
  const shorter = {
    ...{ intent: 'special', first: saturday, reason: '営業時間変更', replacing: '' },
    ...hours,
  }

  test.for([
    ['12:00', 409],
    ['09:30', 200],
    ['11:30', 409],
    // The usual hours do not include these times either.
    ['10:00', 200],
    ['14:00', 200],
  ] as const)('for a table at %s, answers shorter hours with status %i', async ([time, status]) => {
    const { ask, send } = await createSite()
    await ask({ time })
    const usual = await send('editor', shorter, '/bussinessdays?table=special')
    const text = (await usual.text()).replaceAll('<!-- -->', '')
    // The shorter hours omit the second slot, so the form asks anyway.
    expect(usual.status).toBe(409)
    expect(text.includes('お席のお申し込み1件が')).toBe(status === 409)
    const saved = await send('editor', { ...shorter, sure: 'yes' }, '/bussinessdays.data?table=special')
    expect((await saved.text()).includes('お席の方に知らせる')).toBe(status === 409)
  })

  test('displaces no table on an open day without hours', async () => {
    const { ask, send } = await createSite()
    await ask({ time: '12:00' })
    const open = { intent: 'special', first: saturday, reason: '臨時営業', replacing: '', ...noHourFields }
    const asked = await send('editor', open, '/bussinessdays?table=special')
    expect(await asked.text()).not.toContain('お席のお申し込み1件が')
    const saved = await send('editor', { ...open, sure: 'yes' }, '/bussinessdays.data?table=special')
    expect([saved.status, (await saved.text()).includes('お席の方に知らせる')]).toEqual([200, false])
  })

  test('keeps a table after midnight within hours that end after midnight', async () => {
    const { ask, send } = await createSite()
    await ask({ time: '24:30' })
    const late = { ...noHourFields, starttime1_hour: '17', endtime1_hour: '01' }
    const early = { ...late, endtime1_hour: '23' }
    const night = { intent: 'special', first: saturday, reason: '臨時営業' }
    const save = async (fields: object) => {
      const response = await send('editor', { ...night, ...fields } as never, '/bussinessdays?table=special')
      return [response.status, (await response.text()).includes('お席のお申し込み1件が')]
    }
    expect(await save(late)).toEqual([302, false])
    const replacing = `${saturday}:1`
    expect(await save({ ...early, replacing })).toEqual([409, true])
    expect(await save({ ...early, replacing, sure: 'yes' })).toEqual([302, false])
  })

  test('lists a request for a time after midnight until that time has passed', async () => {
    const { ask, html, clock } = await createSite()
    await ask({ time: '24:30' })
    const waiting = 'お返事待ちのお申し込み 1件'
    clock.now = Date.parse('2026-11-22T00:29:00+09:00')
    for (const path of ['/tables', '/today', '/inbox']) expect(await html('manager', path), path).toContain(waiting)
    expect(await html('manager', '/calendar')).toContain('お返事待ち1件')
    clock.now += 60_000
    for (const path of ['/tables', '/today', '/inbox']) expect(await html('manager', path), path).not.toContain(waiting)
    expect(await html('manager', '/calendar')).not.toContain('お返事待ち')
  })

  test('opens the running night after midnight until its hours end', async () => {
    const { ask, send, html, clock } = await createSite()
    await ask({ time: '24:30', state: 'accepted' })
    const night = { ...noHourFields, starttime1_hour: '17', endtime1_hour: '02' }
    await send('editor', { ...shorter, ...night, sure: 'yes' }, '/bussinessdays?table=special')
    const openAt = (time: string) => {
      clock.now = Date.parse(`2026-11-22T${time}:00+09:00`)
      return html('editor', '/tables')
    }
    const atNight = await openAt('00:10')
    for (const text of ['value="2026-11-21"', '松本 梅', 'value="24:30"']) expect(atNight).toContain(text)
    expect(atNight).not.toContain('value="24:00"')
    expect(await openAt('01:59')).toContain('value="2026-11-21"')
    const afterwards = await openAt('02:00')
    expect(afterwards).toContain('value="2026-11-22"')
    expect(afterwards).not.toContain('松本 梅')
  })

  test('asks before hours after midnight change and displace a table of the running night', async () => {
    const { ask, send, html, db, clock } = await createSite()
    await ask({ time: '24:30', state: 'accepted' })
    const night = { ...noHourFields, starttime1_hour: '17', endtime1_hour: '01' }
    await send('editor', { ...shorter, ...night, sure: 'yes' }, '/bussinessdays?table=special')
    clock.now = Date.parse('2026-11-22T00:05:00+09:00')
    expect(await html('editor', '/today')).toMatch(/本日のお席 1組 4名<.*翌0:30.* 松本 梅 様/s)
    const closing = { ...shorter, reason: '臨時休業', replacing: `${saturday}:1` }
    const asked = await send('editor', closing, '/bussinessdays?table=special')
    expect(asked.status).toBe(409)
    expect(await asked.text()).toContain('お席のお申し込み1件が、営業時間の外になります')
    expect(await db.selectFrom('specialDays').select('version').where('day', '=', saturday).execute()).toEqual([
      { version: 1 },
    ])
    expect((await send('editor', { ...closing, sure: 'yes' }, '/bussinessdays?table=special')).status).toBe(302)
    expect(await html('editor', '/tables')).toContain('営業時間の外になったお席 1件')
  })

  test('asks before a weekly change that displaces a table', async () => {
    const { ask, send, html } = await createSite()
    await ask()
    await ask({ day: '2026-11-27', time: '12:00', name: '金曜の方' })
    const week = await html('editor', '/bussinessdays?by=day')
    const form = readForms(week).find(({ names }) => names.has('土曜日.open_or_close'))
    const fields = { ...Object.fromEntries(form?.fields ?? []), intent: 'week', '土曜日.open_or_close': 'close' }
    const save = async (answers: object) => {
      const response = await send(
        'editor',
        { ...fields, beside: 'stays', ...answers } as never,
        '/bussinessdays?by=day',
      )
      return [response.status, (await response.text()).includes('（11月21日（土） 12:00 4名）')]
    }
    expect(await save({})).toEqual([409, true])
    expect(await save({ closedDays: 'closed' })).toEqual([409, true])
    expect(await save({ closedDays: 'closed', sure: 'yes' })).toEqual([302, false])
    expect(await html('editor', '/tables')).toContain('営業時間の外になったお席 1件')
  })
})
