import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Booking } from '../bookings/booking.ts'
import { changeBooking, readBooking } from '../bookings/bookings.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { changeRequest } from './table-requests.server.ts'
import { sendTableReminders } from './table-tasks.server.ts'
import { ask, guest, openTables, staff, tableRequest, takeOutbox } from './testing-tables.ts'

const at = (time: string) => Date.parse(`2026-11-${time}:00+09:00`)

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const openSite = async (facts: Partial<SiteSettings> = {}) => {
    const site = await sampleSite(await fresh())
    const { db, clock } = site
    await openTables(db, facts)
    const addRequest = async (time: string, values: Parameters<typeof tableRequest>[0] = {}) => {
      const request = tableRequest(values)
      expect(await ask(db, request, { now: at(time) })).toBe('asked')
      await takeOutbox(site)
      return request.id
    }
    /** Runs the task at a time and returns what it sends. */
    const runAt = async (time: string) => {
      clock.now = at(time)
      await sendTableReminders({ db, clock: () => clock.now, origin: 'https://example.jp' })
      const { toGuest, toShop, notifications } = await takeOutbox(site)
      return { toGuest: toGuest.length, toShop: toShop.length, notifications: notifications.length }
    }
    const current = async (id: string) => (await readBooking(db, id)) as Booking
    return { ...site, addRequest, runAt, current, take: () => takeOutbox(site) }
  }

  const nothing = { toGuest: 0, toShop: 0, notifications: 0 }
  const reminder = { toGuest: 0, toShop: 1, notifications: 1 }
  const givingUp = { toGuest: 1, toShop: 0, notifications: 0 }

  test('reminds the shop after an hour of opening time, and the guest after three hours, once each', async () => {
    const { addRequest, runAt, current } = await openSite()
    const id = await addRequest('20T12:00')
    expect(await runAt('20T12:59')).toEqual(nothing)
    expect(await current(id)).toMatchObject({ remindedAt: null, givenUpAt: null })
    expect(await runAt('20T13:00')).toEqual(reminder)
    expect(await current(id)).toMatchObject({ remindedAt: '2026-11-20T04:00:00.000Z', givenUpAt: null })
    // The shop is closed from 14:00 to 17:00.
    for (const time of ['20T13:01', '20T16:59', '20T17:59']) expect(await runAt(time), time).toEqual(nothing)
    expect(await runAt('20T18:00')).toEqual(givingUp)
    expect(await current(id)).toMatchObject({ state: 'asked', version: 1, givenUpAt: '2026-11-20T09:00:00.000Z' })
    expect(await runAt('20T18:01')).toEqual(nothing)
  })

  test('does not count closed days, and counts the night after midnight', async () => {
    const { addRequest, runAt } = await openSite({ tableMaxParty: 6 })
    // Monday's night ends at 1:00 on Tuesday. The shop is closed on Tuesday and Wednesday.
    await addRequest('24T00:30', { day: '2026-11-26', time: '20:00' })
    for (const time of ['24T00:59', '25T20:00', '26T11:59']) expect(await runAt(time), time).toEqual(nothing)
    expect(await runAt('26T12:00')).toEqual(reminder)
    expect(await runAt('26T13:59')).toEqual(nothing)
    expect(await runAt('26T14:00')).toEqual(givingUp)
  })

  test('reminds the shop two hours before the time, and the guest one hour before', async () => {
    const { addRequest, runAt } = await openSite({ tableHoursBefore: 0 })
    await addRequest('21T08:00', { time: '11:30' })
    expect(await runAt('21T09:29')).toEqual(nothing)
    expect(await runAt('21T09:30')).toEqual(reminder)
    expect(await runAt('21T10:29')).toEqual(nothing)
    expect(await runAt('21T10:30')).toEqual(givingUp)
  })

  onSqlite('takes both steps at once when the request comes late, and none when its time is over', async () => {
    const { addRequest, runAt } = await openSite({ tableHoursBefore: 0 })
    await addRequest('21T11:00', { time: '11:30' })
    expect(await runAt('21T11:30')).toEqual(nothing)
    expect(await runAt('21T11:01')).toEqual({ toGuest: 1, toShop: 1, notifications: 1 })
  })

  onSqlite('reminds the shop of a time after midnight', async () => {
    const { addRequest, runAt } = await openSite({ tableHoursBefore: 0 })
    await addRequest('21T22:30', { day: '2026-11-21', time: '24:00' })
    expect(await runAt('21T22:31')).toEqual(reminder)
    expect(await runAt('21T23:00')).toEqual(givingUp)
  })

  test('asks the guest to telephone, in the e-mail too, and notifies the shop at night', async () => {
    const { db, addRequest, runAt, clock, take } = await openSite()
    await addRequest('20T12:00', { language: 'en' })
    await addRequest('20T12:00')
    clock.now = at('20T23:30')
    await sendTableReminders({ db, clock: () => clock.now, origin: 'https://example.jp' })
    const { toGuest, toShop, notifications } = await take()
    const texts = toGuest.map(({ text }) => text).sort()
    expect(texts[0]).toContain('Please call us.')
    expect(texts[0]).toContain('Phone: 075-000-0000')
    expect(texts[1]).toContain('お手数ですが、お電話でお問い合わせください。')
    expect(texts[1]).toContain('電話：075-000-0000')
    expect(toShop[0]?.subject).toContain('お席のお申し込みにお返事がまだです（11月21日（土） 18:00 2名）')
    expect(notifications.map(({ dueAt }) => Date.parse(dueAt))).toEqual([clock.now, clock.now])
    expect(notifications.map(({ subject, text }) => subject + text).join()).not.toMatch(/田中|090|guest@/)
    expect(await runAt('20T23:31')).toEqual(nothing)
  })

  test('sends nothing about a request that is answered, and lets the shop answer a late one', async () => {
    const { db, addRequest, runAt, current } = await openSite()
    const [answered, late] = [await addRequest('20T12:00'), await addRequest('20T12:00')]
    await changeBooking(db, await current(answered), () => ({ state: 'accepted' }), staff)
    expect(await runAt('20T19:00')).toEqual({ toGuest: 2, toShop: 1, notifications: 1 })
    await changeBooking(db, await current(late), () => ({ state: 'accepted' }), staff)
    expect(await current(late)).toMatchObject({ state: 'accepted', givenUpAt: expect.any(String) })
    expect(await runAt('20T19:01')).toEqual(givingUp)
  })

  test('starts again when the guest changes the request', async () => {
    const { db, addRequest, runAt, current, take } = await openSite()
    const id = await addRequest('20T12:00', { day: '2026-11-22' })
    expect(await runAt('20T18:00')).toEqual({ toGuest: 1, toShop: 1, notifications: 1 })
    const wish = { day: '2026-11-22', time: '19:00', party: 2 }
    const author = { ...guest, at: new Date(at('20T18:00')).toISOString() }
    await changeRequest(db, await current(id), wish, { now: at('20T18:00'), author })
    await take()
    expect(await runAt('20T18:59')).toEqual(nothing)
    expect(await runAt('20T19:00')).toEqual(reminder)
    expect(await runAt('20T21:00')).toEqual(givingUp)
  })

  test('sends each step once when two processes run at the same time, without a history entry', async () => {
    const { db, addRequest, clock, live, take } = await openSite()
    await addRequest('20T12:00')
    const events: unknown[] = []
    live.subscribe((event) => events.push(event))
    const revisions = () => db.selectFrom('revisions').select('id').where('subject', '=', 'booking').execute()
    expect(await revisions()).toHaveLength(1)
    clock.now = at('20T18:00')
    const run = () => sendTableReminders({ db, clock: () => clock.now, origin: 'https://example.jp' })
    await Promise.all([run(), run(), run(), run()])
    expect(await take()).toMatchObject({ toGuest: [{}], toShop: [{}], notifications: [{}] })
    expect(await revisions()).toHaveLength(1)
    expect(events).toContainEqual({ changed: ['bookings'] })
  })

  test('sends nothing when the switch is off, and no e-mail without an address', async () => {
    const { db, addRequest, runAt } = await openSite()
    await addRequest('20T12:00', { email: '' })
    await openTables(db, { takesTableRequests: false })
    expect(await runAt('20T19:00')).toEqual(nothing)
    await openTables(db)
    expect(await runAt('20T19:00')).toEqual(reminder)
  })
})
