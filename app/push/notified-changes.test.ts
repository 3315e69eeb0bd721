import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { jsonCall, noon, sampleSite } from '../../server/testing.ts'
import { openAccounts } from '../../server/tools/demo.ts'
import { Event } from '../calendar/event.ts'
import { sendEventNotices } from '../calendar/event-notices.server.ts'
import { addEvent, deleteEvent, saveEvent } from '../calendar/events.server.ts'
import { saveRsvp } from '../calendar/rsvps.server.ts'
import { createTestCircle } from '../calendar/testing-circle.ts'
import { receiveMails } from '../members/member-mails.server.ts'
import { pushKindNames } from './push-kinds.ts'
import { vapidKeys } from './push-request.server.ts'
import { addTestDevice, startPushService } from './testing-push-service.ts'

const MINUTE = 60_000
const secret = 'the secret of the tests, of no use anywhere else'
const id = '00000000-0000-4000-8000-000000000029'
const practice = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', attendance: true }

let service: Awaited<ReturnType<typeof startPushService>>
beforeAll(async () => {
  service = await startPushService()
})
afterAll(() => service.stop())
beforeEach(() => void service.arrived.splice(0))

const addDevice = (db: Db, accountId: string) =>
  addTestDevice(db, accountId, service.subscribe(vapidKeys(secret).publicKey), ...pushKindNames)

onEachEngine((fresh) => {
  const createSite = async (overrides: object = {}) => {
    const site = await sampleSite(await fresh(), { pushServices: [service.origin] })
    const { db } = site
    await openAccounts(db, 'password', noon)
    const people = await site.people()
    await site.staff()
    const author = { accountId: null, at: new Date(noon).toISOString() }
    await addEvent(db, id, Event.parse({ ...practice, day: '2026-11-21', startTime: '10:00', ...overrides }), author)
    const devices = new Map<string, string>()
    for (const person of ['signed-in', 'applicant', 'approved', 'editor', 'manager', 'administrator'])
      devices.set(await addDevice(db, `demo-${person}`), person)
    /** Returns the notifications since the last call: person, title, body and URL. */
    const take = () => {
      const pushes = service.arrived.splice(0)
      return pushes.map(({ device, title, body, url }) => [devices.get(device), title, body, url]).sort()
    }
    return { ...site, people, take }
  }

  test('notify the administrators of a message and contain nothing of the message', async () => {
    const { post, take, db } = await createSite()
    const message = { to: 'shop', subject: '予約の件', text: '髙橋です。五名で伺えますか。', from: 'hana@example.jp' }
    const form = { ...message, homepage: '', shownAt: String(noon - MINUTE) }
    expect((await post('guest', '/mail', form)).status).toBe(302)
    const { id: messageId } = await db.selectFrom('messages').select('id').executeTakeFirstOrThrow()
    const received = ['お問い合わせが届きました', '受信箱でご確認ください。', `/inbox?message=${messageId}`]
    const pushes = take()
    expect(pushes.map(([person, title, body, url]) => [person, title, body, url?.split('#')[0]])).toEqual([
      ['administrator', ...received],
      ['manager', ...received],
    ])
    for (const word of [...Object.values(message).slice(1), '髙橋', '予約'])
      expect(JSON.stringify(pushes)).not.toContain(word)

    await post('guest', '/mail', { ...form, homepage: 'https://spam.example' })
    expect(await db.selectFrom('messages').select('spam').orderBy('spam').execute()).toMatchObject([{}, { spam: true }])
    expect(take()).toEqual([])
  })

  test('notify the administrators of a registration and contain no name', async () => {
    const { as, take, people } = await createSite()
    const path = `/api/collections/members/${people.applicant?.member?.id}`
    const { id: _, version: __, ...fields } = await (await as('applicant', path)).json()
    const registration = jsonCall({ ...fields, username: '旅野 人', accountname: 'たび' })
    expect((await as('signedIn', '/api/collections/members', registration)).status).toBe(201)
    const pushes = take()
    const received = ['承認待ちのメンバーがいます', 'メンバー一覧でご確認ください。', '/memberlist']
    expect(pushes).toEqual([
      ['administrator', ...received],
      ['manager', ...received],
    ])
  })

  test.each([
    ['public event', {}, '11月21日（土）「早朝練習」の参加は、1名になりました。'],
    ['members-only event', { membersOnly: true }, '11月21日（土）の予定の参加は、1名になりました。'],
  ])('notify the organisers, but not the author, of a withdrawal from a %s at night', async (_, overrides, body) => {
    const { post, take, clock } = await createSite(overrides)
    await post('approved', '/memberlist', { event: id, version: '0', answer: 'yes' })
    await post('administrator', '/memberlist', { event: id, version: '0', answer: 'yes' })
    clock.now = Date.parse('2026-11-20T23:00:00+09:00')
    expect(take()).toEqual([])
    await post('approved', '/memberlist', { event: id, version: '1', answer: 'no' })
    const title = '参加の取り消しがありました'
    const received = [title, body, `/calendar/${id}/people`]
    expect(take()).toEqual(['administrator', 'editor', 'manager'].map((person) => [person, ...received]))
    await post('administrator', '/memberlist', { event: id, version: '1', answer: 'no' })
    expect(take().map(([person]) => person)).toEqual(['editor', 'manager'])
  })

  test('notify a member, but not the author, of a new place', async () => {
    const { post, take } = await createSite({ day: '2026-11-28', capacity: 1 })
    await post('approved', '/memberlist', { event: id, version: '0', answer: 'yes' })
    await post('administrator', '/memberlist', { event: id, version: '0', answer: 'yes' })
    expect(take()).toEqual([])
    await post('approved', '/memberlist', { event: id, version: '1', answer: 'no' })
    expect(take()).toEqual([
      ['administrator', '空きが出て、参加になりました', '11月28日（土）「早朝練習」', '/memberlist'],
    ])
  })

  describe('event notices', () => {
    const createCircle = async () => {
      const circle = await createTestCircle(await fresh())
      const { db, clock, deps } = circle
      await openAccounts(db, 'password', noon)
      const devices = new Map<string | null, string>()
      for (const person of ['signed-in', 'applicant', 'approved', 'administrator'])
        devices.set(await addDevice(db, `demo-${person}`), person)
      await db.deleteFrom('outbox').execute()
      const author = (accountId: string | null = null) => ({ accountId, at: new Date(clock.now).toISOString() })
      /** Returns the notifications that are enqueued within some minutes. */
      const takeAfter = async (minutes: number) => {
        clock.now += minutes * MINUTE
        await Promise.all([sendEventNotices(deps), sendEventNotices(deps)])
        const rows = await db.deleteFrom('outbox').where('channel', '!=', 'mail').returningAll().execute()
        return rows.map(({ to, kind, subject, text, link }) => [devices.get(to), kind, subject, text, link]).sort()
      }
      return { ...circle, author, takeAfter }
    }

    test('notify all approved members, except the author, of a new event', async () => {
      const { db, author, takeAfter, people, deps } = await createCircle()
      await receiveMails(db, people.approved?.member?.id ?? '', 'event', false)
      await addEvent(db, id, Event.parse(practice), author('demo-administrator'), { announces: true })
      expect(await takeAfter(4)).toEqual([])
      const received = ['event', '新しい予定のご案内です', '11月28日（土）「早朝練習」', '/memberlist']
      expect(await takeAfter(1)).toEqual([['approved', ...received]])
      expect(await takeAfter(60)).toEqual([])

      // Without a verified e-mail address, only the e-mail is missing.
      deps.readVerifiedEmails = async () => new Map()
      const hidden = Event.parse({ ...practice, membersOnly: true })
      await addEvent(db, crypto.randomUUID(), hidden, author(), { announces: true })
      const pushes = await takeAfter(5)
      expect(pushes.map(([person, , , body]) => [person, body])).toEqual([
        ['administrator', '11月28日（土）の予定'],
        ['approved', '11月28日（土）の予定'],
      ])
      expect(JSON.stringify(pushes)).not.toContain('早朝練習')
    })

    test('notify members with an RSVP of a change and of a cancellation, and others of the deadline', async () => {
      const { db, author, takeAfter, people, clock } = await createCircle()
      await addEvent(db, id, Event.parse(practice), author(), { announces: false })
      const memberId = people.approved?.member?.id ?? ''
      const rsvp = { eventId: id, memberId, version: 0, said: { answer: 'no', note: '' } } as const
      await saveRsvp(db, rsvp, author(), practice.day)
      await saveEvent(db, { id, version: 1 }, Event.parse({ ...practice, startTime: '10:00' }), author())
      const body = '11月28日（土）「早朝練習」'
      expect(await takeAfter(5)).toEqual([['approved', 'change', '予定が変わりました', body, '/memberlist']])
      clock.now = Date.parse('2026-11-27T08:00:00+09:00')
      expect(await takeAfter(0)).toEqual([
        ['administrator', 'reminder', '出欠の回答をお願いいたします', body, '/memberlist'],
      ])
      await deleteEvent(db, { id, version: 2 }, author('demo-administrator'))
      const path = '/calendar?day=2026-11-28'
      expect(await takeAfter(5)).toEqual([['approved', 'change', '予定が中止になりました', body, path]])
    })
  })
})
