import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../db/open.ts'
import { engines, freshPostgresUrl, onEachEngine } from '../../db/testing.ts'
import { readSettings } from '../../server/settings.ts'
import { noon } from '../../server/testing.ts'
import { openAccounts, registerPeople } from '../../server/tools/demo.ts'
import { addAccount } from '../accounts/accounts.server.ts'
import { listMessages } from '../contact/inbox.server.ts'
import { enqueue, readOutboxQueue, retryDelivery } from '../mail/outbox.server.ts'
import { deliverDue } from '../mail/testing-mailer.ts'
import { savePage } from '../pages/pages.server.ts'
import type { Notification } from './notifications.server.ts'
import { vapidKeys } from './push-request.server.ts'
import {
  clock,
  createDelivery,
  createShop,
  DAY,
  event,
  HOUR,
  inquiry,
  iso,
  MINUTE,
  SECOND,
  secret,
  service,
  usePushService,
} from './testing-notifications.ts'
import { addTestDevice, startPushService } from './testing-push-service.ts'

usePushService()

onEachEngine((fresh) => {
  const openShop = async (options?: Parameters<typeof createShop>[1]) => createShop(await fresh(), options)

  test('sends a notification once to each device that receives its kind', async () => {
    const { deliver, send, addDevice, rows } = await openShop()
    const phone = await addDevice('demo-administrator', 'inquiry', 'table')
    const tablet = await addDevice('demo-administrator', 'inquiry')
    const colleague = await addDevice('demo-manager', 'inquiry')
    await addDevice('demo-manager', 'table')
    await send(inquiry)
    await deliver()
    expect(service.rejected).toEqual([])
    expect(service.arrived.map(({ device }) => device).sort()).toEqual([phone, tablet, colleague].sort())
    for (const push of service.arrived) {
      const { title, body, path: url } = inquiry
      expect(push).toMatchObject({ title, body, url, urgency: 'high', contact: 'mailto:owner@example.jp' })
    }
    const sent = (await rows()).map(({ id, state, text }) => [id, state, text])
    expect(sent.sort()).toEqual(service.arrived.map(({ tag }) => [tag, 'sent', '']).sort())
    clock.now += 4 * DAY
    expect([await deliver(), service.arrived.length]).toEqual([0, 3])
  })

  test('notifies only the given accounts, and never the author', async () => {
    const { deliver, send, addDevice } = await openShop()
    const member = await addDevice('demo-approved', 'event')
    await addDevice('demo-administrator', 'event')
    await send({ ...event, accountIds: ['demo-approved', null] })
    await send({ ...event, except: 'demo-administrator' })
    await deliver()
    expect(service.arrived.map(({ device, urgency }) => [device, urgency])).toEqual(Array(2).fill([member, 'normal']))
  })

  test.each([404, 410])('deletes a device when the push service returns %i', async (status) => {
    const { deliver, send, addDevice, devices, rows } = await openShop()
    await addDevice('demo-administrator', 'inquiry')
    service.behavior.responses = [[status]]
    await send(inquiry)
    await deliver()
    expect([await devices(), await rows(), service.arrived]).toEqual([[], [], []])
    await send(inquiry)
    expect(await rows()).toMatchObject([{ channel: 'webhook' }])
  })

  test('retries a notification after the time of Retry-After', async () => {
    const { deliver, send, addDevice, devices } = await openShop()
    await addDevice('demo-administrator', 'inquiry')
    service.behavior.responses = [[429, { 'retry-after': '600' }]]
    await send(inquiry)
    await deliver()
    clock.now += 10 * MINUTE - SECOND
    expect(await deliver()).toBe(0)
    clock.now += SECOND
    await deliver()
    expect(service.arrived).toHaveLength(1)
    expect(await devices()).toHaveLength(1)
  })

  test('retries a notification with the same tag and growing delays when the push service fails', async () => {
    const { deliver, send, addDevice, logged, rows } = await openShop()
    await addDevice('demo-administrator', 'inquiry')
    // The delay is longer than the time of Retry-After.
    service.behavior.responses = [[500], [503, { 'retry-after': '1' }], [502, { 'retry-after': 'Fri, 20 Nov 2026' }]]
    await send(inquiry)
    const [row] = await rows()
    for (const minutes of [0, 1, 2, 5]) {
      clock.now += minutes * MINUTE - SECOND
      await deliver()
      expect(service.arrived).toHaveLength(0)
      clock.now += SECOND
      await deliver()
    }
    const tags = service.arrived.map(({ tag, topic }) => [tag, topic])
    expect(tags).toEqual([[row?.id, row?.id.replaceAll('-', '')]])
    expect(logged).toHaveLength(3)
    expect(JSON.stringify(logged)).not.toContain('/push/')
  })

  test('abandons a notification after three days without a response, and deletes it thirty days later', async () => {
    const stopped = await startPushService()
    await stopped.stop()
    const { db, deliver, send, rows } = await openShop({ pushServices: [stopped.origin] })
    await addTestDevice(db, 'demo-approved', stopped.subscribe(vapidKeys(secret).publicKey), 'event')
    await send(event)
    for (let hour = 0; hour < 74; hour += 1) {
      await deliver()
      clock.now += HOUR
    }
    expect(await rows()).toMatchObject([{ state: 'failed', trouble: 'fetch failed' }])
    clock.now += 31 * DAY
    await send(inquiry)
    await deliver()
    expect(await rows()).toEqual([])
  })

  test('gives up when the push service rejects the notification', async () => {
    const { deliver, send, addDevice, logged, rows, db, people } = await openShop()
    await addDevice('demo-administrator', 'inquiry')
    service.behavior.responses = [[403], [302, { location: `${service.origin}/push/elsewhere` }]]
    await send(inquiry)
    await deliver()
    await send(inquiry)
    await deliver()
    clock.now += 4 * DAY
    expect(await deliver()).toBe(0)
    const failed = (await rows()).filter(({ channel }) => channel === 'push')
    expect(failed.map(({ state, trouble }) => `${state} ${trouble}`).sort()).toEqual([
      'failed HTTP 302',
      'failed HTTP 403',
    ])
    expect([service.arrived, service.rejected, logged.length]).toEqual([[], [], 2])

    // The inbox and the metrics are about e-mails only.
    const inbox = await listMessages(db, people.administrator, { show: 'all', sought: '', page: 1 }, iso(clock.now))
    expect(inbox.notices).toEqual([])
    expect(await readOutboxQueue(db)).toMatchObject({ count: 0 })
    await retryDelivery(db, failed[0]?.id ?? '', iso(clock.now))
    expect(await deliver()).toBe(0)
  })

  test.each([
    ['22:00:00', '2026-11-21T08:00:00+09:00'],
    ['23:59:59', '2026-11-21T08:00:00+09:00'],
    ['00:00:00', '2026-11-20T08:00:00+09:00'],
    ['07:59:59', '2026-11-20T08:00:00+09:00'],
    ['08:00:00', '2026-11-20T08:00:00+09:00'],
    ['21:59:59', '2026-11-20T21:59:59+09:00'],
  ])('sends a notification of %s at %s, and the webhook too', async (time, due) => {
    const { send, addDevice, rows } = await openShop()
    await addDevice('demo-administrator', 'inquiry')
    clock.now = Date.parse(`2026-11-20T${time}+09:00`)
    await send(inquiry)
    expect((await rows()).map(({ dueAt }) => dueAt)).toEqual(Array(2).fill(iso(Date.parse(due))))
  })

  test('sends an urgent notification at night', async () => {
    const { deliver, send, addDevice } = await openShop()
    await addDevice('demo-editor', 'withdrawal')
    clock.now = Date.parse('2026-11-20T23:00:00+09:00')
    await send({ ...inquiry, kind: 'withdrawal' })
    await deliver()
    expect(service.arrived).toEqual([])
    await send({ ...inquiry, kind: 'withdrawal', title: '急ぎ', urgent: true })
    await deliver()
    expect(service.arrived.map(({ title }) => title)).toEqual(['急ぎ'])
    clock.now = Date.parse('2026-11-21T08:00:00+09:00')
    await deliver()
    expect(service.arrived.map(({ title }) => title)).toEqual(['急ぎ', inquiry.title])
  })

  type Shop = Awaited<ReturnType<typeof openShop>>
  const setMember = (values: object) => (shop: Shop) =>
    shop.db.updateTable('members').set(values).where('accountId', '=', 'demo-approved').execute()
  test.each<[string, Notification, string, (shop: Shop) => Promise<unknown>]>([
    [
      'an administrator becomes editing staff',
      inquiry,
      'demo-manager',
      ({ db }) => db.updateTable('staff').set({ role: 'editing' }).where('accountId', '=', 'demo-manager').execute(),
    ],
    [
      'a member of staff leaves',
      { ...inquiry, kind: 'withdrawal' },
      'demo-editor',
      ({ db }) =>
        db
          .updateTable('staff')
          .set({ deletedAt: iso(noon) })
          .where('accountId', '=', 'demo-editor')
          .execute(),
    ],
    ['the member rests', event, 'demo-approved', setMember({ resting: true })],
    ['the approval of the member is withdrawn', event, 'demo-approved', setMember({ admin: false })],
    ['the member is in the bin', event, 'demo-approved', setMember({ deletedAt: iso(noon) })],
    [
      'the circle is switched off',
      event,
      'demo-approved',
      async ({ db }) => {
        const author = { accountId: null, at: iso(noon) }
        await savePage(db, 'tennisrelated', { version: 0, facts: { shown: false } }, author)
      },
    ],
  ])('sends no notification when %s after the event', async (_, notification, accountId, change) => {
    const shop = await openShop()
    await shop.addDevice(accountId, notification.kind)
    await shop.send(notification)
    await shop.deliver()
    expect(service.arrived).toHaveLength(1)
    await shop.send(notification)
    await change(shop)
    await shop.deliver()
    expect(service.arrived).toHaveLength(1)
    expect((await shop.rows()).filter(({ state }) => state !== 'sent')).toEqual([])
  })

  test('sends no notification to a deleted device or account', async () => {
    const { db, deliver, send, addDevice, rows, devices } = await openShop()
    await addAccount(db, { id: 'leaving', name: 'a', email: 'leaving@example.jp', hash: 'none' }, iso(noon))
    await addDevice('leaving', 'event')
    await addDevice('demo-approved', 'event')
    await send(event)
    await db.deleteFrom('accounts').where('id', '=', 'leaving').execute()
    expect(await devices()).toHaveLength(1)
    await db.deleteFrom('pushDevices').execute()
    await deliver()
    expect([service.arrived, await rows()]).toEqual([[], []])
  })

  test('sends no request to an endpoint outside PUSH_SERVICES', async () => {
    const { deliver, send, addDevice, rows } = await openShop({ pushServices: readSettings({}).pushServices })
    await addDevice('demo-approved', 'event')
    await send(event)
    const requests = service.requestTimes.length
    await deliver()
    expect(service.requestTimes).toHaveLength(requests)
    expect(await rows()).toMatchObject([{ state: 'failed', trouble: expect.stringContaining('PUSH_SERVICES') }])
  })

  test('delivers notifications while a slow mail server delays the e-mails', async () => {
    const { db, deliver, send, addDevice } = await openShop()
    await addDevice('demo-approved', 'event')
    await enqueue(db, { to: 'a@example.jp', subject: '件名', text: 'a', html: 'a' }, { at: iso(noon) })
    await send(event)
    const { promise: sent, resolve: finish } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const subjects: string[] = []
    const mailer = {
      verifies: true,
      send: async ({ subject }: { subject: string }) => {
        subjects.push(subject)
        begin()
        await sent
      },
    }
    const mails = { db, clock: () => clock.now, mailer, ownerEmail: undefined, log: { warn() {}, error() {} } }
    const mailDelivery = deliverDue(mails, new AbortController().signal)
    await begun
    await deliver()
    expect(service.arrived).toHaveLength(1)
    finish()
    expect([await mailDelivery, subjects]).toEqual([1, ['件名']])
  })
})

test('sends each notification once when several workers share one PostgreSQL database', async () => {
  const url = await freshPostgresUrl()
  const dbs = await Promise.all([openDatabase({ url, file: '' }), openDatabase({ url, file: '' })])
  onTestFinished(async () => void (await Promise.all(dbs.map((db) => db.destroy()))))
  const [first] = dbs
  await openAccounts(first, 'password', noon)
  await registerPeople(first, noon)
  const workers = [...dbs, ...dbs].map((db) => createDelivery(db))
  await workers[0]?.addDevice('demo-approved', 'event')
  for (let count = 0; count < 30; count += 1) await workers[0]?.send(event)
  await Promise.all(workers.map(({ deliver }) => deliver()))
  expect(service.arrived).toHaveLength(30)
  expect(new Set(service.arrived.map(({ tag }) => tag)).size).toBe(30)
})

test.each(engines)(
  'sends a notification on %s once after the process is killed during its delivery',
  async (engine) => {
    const database =
      engine === 'SQLite' ? join(mkdtempSync(join(tmpdir(), 'noren-')), 'site.db') : await freshPostgresUrl()
    const db = await openDatabase(engine === 'SQLite' ? { file: database } : { url: database, file: '' })
    onTestFinished(() => db.destroy())
    await openAccounts(db, 'password', noon)
    await registerPeople(db, noon)
    const { deliver, send, addDevice, rows } = createDelivery(db)
    await addDevice('demo-approved', 'event')
    await send(event)
    const { promise: requested, resolve } = Promise.withResolvers<void>()
    Object.assign(service.behavior, { stalls: true, onRequest: resolve })
    const script = 'app/push/testing-notification-delivery.ts'
    const child = spawn(process.execPath, [script, database, service.origin, secret, String(noon)], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: service.certificateFile },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await requested
    child.kill('SIGKILL')
    await once(child, 'exit')
    Object.assign(service.behavior, { stalls: false, onRequest: undefined })

    // Until the lease of the killed process expires, no other process takes the notification.
    expect([await deliver(), service.arrived.length]).toEqual([0, 0])
    clock.now += 30 * SECOND
    await deliver()
    expect([service.arrived.length, service.rejected]).toEqual([1, []])
    expect(await rows()).toMatchObject([{ state: 'sent', attempts: 2 }])
    clock.now += DAY
    expect([await deliver(), service.arrived.length]).toEqual([0, 1])
  },
)
