import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import type { Booking } from '../bookings/booking.ts'
import { bookingRecord } from '../bookings/booking-record.server.ts'
import { addBooking, changeBooking, readBooking } from '../bookings/bookings.server.ts'
import { languages, runInLanguage } from '../languages/languages.server.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { removeSeen } from '../records/own-saves.server.ts'
import { restoreFromBin, undoSave } from '../records/undo.server.ts'
import type { Author } from '../request.ts'
import type { SiteSettings } from '../settings/site.ts'
import { answerOffer, askForTable, changeRequest } from './table-requests.server.ts'
import { ask, guest, openTables, staff, tableRequest, takeOutbox } from './testing-tables.ts'

const HOUR_MS = 3_600_000
const [english = null] = languages
const PRIVATE = /田中|090-1234|guest@example|窓際/

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const openSite = async (facts: Partial<SiteSettings> = {}) => {
    const site = await sampleSite(await fresh())
    await openTables(site.db, facts)
    const { db } = site
    const current = async (id: string) => (await readBooking(db, id)) as Booking
    const change = async (id: string, changes: Partial<Booking>, author: Author = staff) => {
      const { ok } = await changeBooking(db, await current(id), () => changes, author)
      return ok ?? ''
    }
    /** Stores a request that the shop and the guest know about. */
    const addRequest = async (
      values: Parameters<typeof tableRequest>[0] = {},
      changes: Partial<Booking> | null = null,
    ) => {
      const request = tableRequest(values)
      expect(await ask(db, request)).toBe('asked')
      if (changes) await change(request.id, changes)
      await takeOutbox(site)
      return request.id
    }
    const takeGuestMail = async () => {
      const { toGuest, toShop, notifications } = await takeOutbox(site)
      expect([toShop, notifications]).toEqual([[], []])
      expect(toGuest.length).toBeLessThan(2)
      return toGuest[0]
    }
    return { ...site, current, change, addRequest, takeGuestMail, take: () => takeOutbox(site) }
  }

  test('notifies the guest and the shop of a request, without private data in the notification', async () => {
    const { db, take } = await openSite()
    const request = tableRequest()
    await ask(db, request)
    const { toGuest, toShop, notifications } = await take()
    expect(toGuest).toMatchObject([
      {
        to: 'guest@example.jp',
        replyTo: 'shop@example.jp',
        subject: expect.stringContaining('お申し込みを受け付けました'),
      },
    ])
    expect(toGuest[0]?.text).toContain('まだ確定ではありません')
    expect(toGuest[0]?.text).toContain('日時：11月21日（土） 18:00\n人数：2名')
    expect(toGuest[0]?.text).toContain(`http://localhost:3000/table/${request.id}`)
    // Somebody else may have typed the address, so the e-mail contains nothing that the guest has typed.
    expect(toGuest[0]?.text).not.toMatch(PRIVATE)
    expect(toShop).toMatchObject([
      {
        replyTo: 'guest@example.jp',
        subject: expect.stringContaining('お席のお申し込みが届きました（11月21日（土） 18:00 2名）'),
      },
    ])
    for (const text of ['田中 一郎 様', '090-1234-5678', '窓際でお願いします', '/tables?day=2026-11-21'])
      expect(toShop[0]?.text).toContain(text)
    expect(notifications).toMatchObject([
      { kind: 'table', link: '/tables?day=2026-11-21', text: '11月21日（土） 18:00 2名' },
    ])
    expect(`${notifications[0]?.subject} ${notifications[0]?.text} ${notifications[0]?.link}`).not.toMatch(PRIVATE)
  })

  test('writes to the guest in English and to the shop in Japanese when the page is English', async () => {
    const { db, take, change } = await openSite({ tableMinutesToClosing: 30 })
    const request = tableRequest({ language: 'en', time: '24:30' })
    expect(await runInLanguage(english, () => ask(db, request))).toBe('asked')
    const { toGuest, toShop, notifications } = await take()
    expect(toGuest[0]?.subject).toContain('We have received your table request')
    expect(toGuest[0]?.text).toContain('Your request is not confirmed until we reply.')
    expect(toGuest[0]?.text).toContain('Date and time: Sat, Nov 21, ')
    expect(toGuest[0]?.text).toContain(`http://localhost:3000/en/table/${request.id}`)
    expect(toGuest[0]?.html).toContain('<html lang="en">')
    expect(toShop[0]?.subject).toContain('11月21日（土） 翌0:30 2名')
    expect(notifications[0]?.text).toBe('11月21日（土） 翌0:30 2名')
    await change(request.id, { state: 'accepted', reply: 'See you on Saturday.' })
    const { toGuest: replies } = await take()
    expect(replies[0]?.text).toContain('Dear 田中 一郎,')
    expect(replies[0]?.text).toContain('Your table is confirmed.')
    expect(replies[0]?.text).toContain('See you on Saturday.')
  })

  test('sends nothing to a guest without an e-mail address', async () => {
    const { db, take, change } = await openSite()
    const request = tableRequest({ email: '' })
    await ask(db, request)
    expect(await take()).toMatchObject({ toGuest: [], toShop: [{ replyTo: null }], notifications: [{}] })
    await change(request.id, { state: 'accepted' })
    expect(await take()).toEqual({ toGuest: [], toShop: [], notifications: [] })
  })

  const offer = { state: 'offered', offeredDay: '2026-11-22', offeredTime: '19:30' } as const

  test.each([
    ['acceptance', { state: 'accepted' }, 'お席をご用意します', '11月21日（土） 18:00'],
    ['refusal', { state: 'declined' }, 'お席をご用意できません', '11月21日（土） 18:00'],
    ['other time', offer, '別のお時間をご案内します', '11月22日（日） 19:30'],
    ['cancellation', { state: 'cancelled' }, 'お席のお申し込みを取り消しました', '11月21日（土） 18:00'],
  ] as const)('sends the reply of the shop with its %s to the guest only', async (_, changes, subject, time) => {
    const { change, addRequest, takeGuestMail } = await openSite()
    await change(await addRequest(), { ...changes, reply: '店主より\nお返事です' })
    const mail = await takeGuestMail()
    expect(mail).toMatchObject({ to: 'guest@example.jp', subject: expect.stringContaining(subject) })
    expect(mail?.text).toContain('田中 一郎 様')
    expect(mail?.text).toContain('店主より\nお返事です')
    expect(mail?.text).toContain(time)
  })

  test('notifies the guest when the shop undoes its reply', async () => {
    const { db, change, addRequest, takeGuestMail } = await openSite()
    const id = await addRequest()
    const save = await change(id, { state: 'accepted', reply: 'お待ちしております' })
    await takeGuestMail()
    await undoSave(db, recordTypes, save, staff)
    const mail = await takeGuestMail()
    expect(mail?.subject).toContain('先ほどのお返事を取り消しました')
    expect(mail?.text).toContain('まだ確定ではありません')
    expect(mail?.text).not.toContain('お待ちしております')
  })

  test('notifies the guest when the shop deletes an accepted booking, and when it restores the booking', async () => {
    const { db, addRequest, current, takeGuestMail } = await openSite()
    const id = await addRequest({}, { state: 'accepted', reply: 'お待ちしております' })
    await removeSeen(db, bookingRecord, await current(id), staff)
    const cancelled = await takeGuestMail()
    expect(cancelled?.subject).toContain('お席のお申し込みを取り消しました')
    expect(cancelled?.text).not.toContain('お待ちしております')
    await restoreFromBin(db, bookingRecord, id, staff)
    expect((await takeGuestMail())?.subject).toContain('お席をご用意します')
  })

  test.each<[string, Partial<Booking>, string]>([
    ['day', { day: '2026-11-22' }, '11月22日（日） 18:00'],
    ['time', { time: '19:00' }, '11月21日（土） 19:00'],
    ['party', { party: 3 }, '人数：3名'],
  ])('notifies the guest when the shop changes the %s of an accepted booking', async (_, changes, text) => {
    const { change, addRequest, takeGuestMail } = await openSite()
    const id = await addRequest({}, { state: 'accepted', reply: 'お待ちしております' })
    await change(id, changes)
    const mail = await takeGuestMail()
    expect(mail?.subject).toContain('お席の内容を、お店で変更しました')
    expect(mail?.text).toContain(text)
    expect(mail?.text).not.toContain('お待ちしております')
  })

  test('sends nothing when the shop changes a name, a wish, a contact or the attendance', async () => {
    const { change, addRequest, takeGuestMail } = await openSite()
    const id = await addRequest({}, { state: 'accepted' })
    for (const changes of [{ name: '田中 次郎' }, { wish: '' }, { telephone: '075-000-0000' }, { came: true }])
      await change(id, changes)
    expect(await takeGuestMail()).toBeUndefined()
  })

  test('sends one e-mail about the last state when a transaction changes a booking twice', async () => {
    const { db, current, addRequest, takeGuestMail } = await openSite()
    const id = await addRequest()
    await inTransaction(db, async (trx) => {
      await changeBooking(trx, await current(id), () => ({ state: 'declined' }), staff)
      const changed = (await readBooking(trx, id)) as Booking
      await changeBooking(trx, changed, () => ({ state: 'accepted' }), staff)
    })
    expect((await takeGuestMail())?.subject).toContain('お席をご用意します')
  })

  test('notifies the shop when the guest changes, accepts or cancels', async () => {
    const { db, addRequest, change, current, take } = await openSite()
    const id = await addRequest({}, { state: 'accepted' })
    const wish = { day: '2026-11-22', time: '12:00', party: 4 }
    expect(await changeRequest(db, await current(id), wish, { now: noon, author: guest })).toMatchObject({
      ok: expect.any(String),
    })
    const facts = '11月22日（日） 12:00 4名'
    expect(await take()).toMatchObject({
      toGuest: [{ subject: expect.stringContaining('お申し込みの変更を受け付けました') }],
      toShop: [{ subject: expect.stringContaining(`お席のお申し込みが変更されました（${facts}）`) }],
      notifications: [{ subject: 'お席のお申し込みが変更されました', text: facts }],
    })
    await change(id, { ...offer, reply: '19時半はいかがでしょうか' })
    await take()
    const accepted = { state: 'accepted', day: offer.offeredDay, time: offer.offeredTime } as const
    await change(id, { ...accepted, offeredDay: null, offeredTime: null }, guest)
    const { toGuest, ...toShop } = await take()
    expect(toGuest[0]?.text).toContain('11月22日（日） 19:30')
    expect(toShop).toMatchObject({ toShop: [{}], notifications: [{ subject: 'ご案内した時間が承諾されました' }] })
    await change(id, { state: 'cancelled' }, guest)
    expect(await take()).toMatchObject({
      toGuest: [{ subject: expect.stringContaining('お席のお申し込みを取り消しました') }],
      toShop: [{ subject: expect.stringContaining('お客さまがお席を取り消しました') }],
      notifications: [{ subject: 'お客さまがお席を取り消しました', link: '/tables?day=2026-11-22' }],
    })
  })

  test('notifies the shop of the request of a visitor who is signed in', async () => {
    const { db, take, current } = await openSite()
    const [request, author] = [tableRequest(), { ...guest, accountId: 'a-member' }]
    await askForTable(db, request, { address: null, now: noon, author })
    expect(await take()).toMatchObject({ toGuest: [{}], toShop: [{}], notifications: [{}] })
    await answerOffer(db, await current(request.id), 'cancel', { now: noon, author })
    expect(await take()).toMatchObject({ toGuest: [{}], toShop: [{}], notifications: [{}] })
  })

  test('sends nothing about a booking that the staff enter', async () => {
    const { db, take } = await openSite()
    const { email: _, ...booking } = tableRequest()
    await addBooking(db, { ...booking, state: 'accepted', byStaff: true }, staff)
    expect(await take()).toEqual({ toGuest: [], toShop: [], notifications: [] })
  })

  test('sends nothing when the time of the booking is over', async () => {
    const { addRequest, change, takeGuestMail, clock } = await openSite()
    const id = await addRequest({}, { state: 'accepted' })
    clock.now = Date.parse('2026-11-21T18:00+09:00')
    await change(id, { came: false, state: 'cancelled' })
    expect(await takeGuestMail()).toBeUndefined()
  })

  test('stores and announces a repeated request once', async () => {
    const { db, take } = await openSite()
    const request = tableRequest()
    const results = await Promise.all(Array.from({ length: 5 }, () => ask(db, request)))
    expect(results).toEqual(Array.from({ length: 5 }, () => 'asked'))
    expect(await db.selectFrom('bookings').selectAll().execute()).toHaveLength(1)
    expect(await take()).toMatchObject({ toGuest: [{}], toShop: [{}], notifications: [{}] })
    expect(await take()).toEqual({ toGuest: [], toShop: [], notifications: [] })
  })

  test('leaves no e-mail and no notification when the transaction is rolled back', async () => {
    const { db, take } = await openSite()
    const rolledBack = inTransaction(db, async (trx) => {
      const request = tableRequest()
      await addBooking(trx, { ...request, state: 'asked', byStaff: false }, guest)
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await take()).toEqual({ toGuest: [], toShop: [], notifications: [] })
    expect(await db.selectFrom('bookings').selectAll().execute()).toEqual([])
  })

  onSqlite('delivers a notification at night only when the time is within twelve hours', async () => {
    const { db, clock, take } = await openSite()
    clock.now = Date.parse('2026-11-20T23:45+09:00')
    await ask(db, tableRequest({ time: '11:30' }), { now: clock.now })
    await ask(db, tableRequest({ time: '12:00' }), { now: clock.now })
    const { notifications } = await take()
    expect(notifications.map(({ text, dueAt }) => [text, Date.parse(dueAt) - clock.now]).sort()).toEqual([
      ['11月21日（土） 11:30 2名', 0],
      ['11月21日（土） 12:00 2名', 8.25 * HOUR_MS],
    ])
  })

  onSqlite('limits the changes of one request, because each change sends e-mails', async () => {
    const { db, addRequest, current, take } = await openSite()
    const id = await addRequest()
    const change = async (party: number) => {
      const wish = { day: '2026-11-21', time: '18:00', party }
      return changeRequest(db, await current(id), wish, { now: noon, author: guest })
    }
    for (let count = 1; count <= 10; count += 1)
      expect(await change((count % 2) + 1)).toMatchObject({ ok: expect.any(String) })
    await expect(change(3)).rejects.toMatchObject({ status: 429 })
    expect((await take()).toGuest).toHaveLength(10)
  })
})
