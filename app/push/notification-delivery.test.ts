import { spawn } from 'node:child_process'
import { createECDH, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { engines, freshPostgresUrl, onEachEngine } from '../../db/testing.ts'
import { readSettings } from '../../server/settings.ts'
import { hireStaff, openAccounts, registerPeople } from '../../server/tools/demo.ts'
import { addAccount } from '../accounts/accounts.server.ts'
import { listMessages } from '../contact/inbox.server.ts'
import { deliverDue, enqueue, readOutboxQueue, retryDelivery } from '../mail/outbox.server.ts'
import { deliverDueRows } from '../mail/outbox-queue.server.ts'
import { savePage } from '../pages/pages.server.ts'
import { createNotificationQueue, type NotificationDelivery } from './notification-delivery.server.ts'
import { enqueueNotification, type Notification } from './notifications.server.ts'
import type { PushKind } from './push-kinds.ts'
import { vapidKeys } from './push-request.server.ts'
import { isPushService } from './push-services.ts'
import { addTestDevice, decrypt, startPushService } from './testing-push-service.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const noon = Date.parse('2026-11-20T12:00:00+09:00')
const iso = (instant: number) => new Date(instant).toISOString()
const secret = 'the secret of the tests, of no use anywhere else'
const inquiry = {
  kind: 'inquiry',
  title: 'お問い合わせが届きました',
  body: '受信箱でご確認ください。',
  path: '/inbox',
} as const
const event = {
  kind: 'event',
  title: '新しい予定です',
  body: '11月28日（土）「早朝練習」',
  path: '/memberlist',
} as const

const clock = { now: noon }
let service: Awaited<ReturnType<typeof startPushService>>
beforeAll(async () => {
  service = await startPushService({ now: () => clock.now })
})
afterAll(() => service.stop())
beforeEach(() => {
  clock.now = noon
  service.behavior.responses = []
  for (const list of [service.arrived, service.rejected]) list.length = 0
})

type Options = Partial<Pick<NotificationDelivery, 'pushServices' | 'webhook'>>

function createDelivery(db: Kysely<Tables>, { pushServices = [service.origin], webhook = null }: Options = {}) {
  const logged: object[] = []
  const log = { warn: (line: object) => void logged.push(line), error: (line: object) => void logged.push(line) }
  const delivery = {
    ...{ db, clock: () => clock.now, log, pushServices, webhook },
    ...{ secret, contact: 'mailto:owner@example.jp', origin: 'https://example.jp' },
  }
  const deliver = () => deliverDueRows(createNotificationQueue(delivery), new AbortController().signal)
  const send = (notification: Notification) => enqueueNotification(db, notification, { at: iso(clock.now) })
  const addDevice = (accountId: string, ...kinds: PushKind[]) =>
    addTestDevice(db, accountId, service.subscribe(vapidKeys(secret).publicKey), ...kinds)
  const rows = () => db.selectFrom('outbox').selectAll().where('channel', '!=', 'mail').execute()
  const devices = async () => (await db.selectFrom('pushDevices').select('id').execute()).map(({ id }) => id)
  return { logged, deliver, send, addDevice, rows, devices }
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createShop = async (options: Options = {}) => {
    const db = await fresh()
    await openAccounts(db, 'password', noon)
    const people = await registerPeople(db, noon)
    await hireStaff(db, noon)
    await db.deleteFrom('outbox').execute()
    return { db, people, ...createDelivery(db, options) }
  }

  test('sends a notification once to each device that receives its kind', async () => {
    const { deliver, send, addDevice, rows } = await createShop()
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
    const { deliver, send, addDevice } = await createShop()
    const member = await addDevice('demo-approved', 'event')
    await addDevice('demo-administrator', 'event')
    await send({ ...event, accountIds: ['demo-approved', null] })
    await send({ ...event, except: 'demo-administrator' })
    await deliver()
    expect(service.arrived.map(({ device, urgency }) => [device, urgency])).toEqual(Array(2).fill([member, 'normal']))
  })

  test.each([404, 410])('deletes a device when the push service returns %i', async (status) => {
    const { deliver, send, addDevice, devices, rows } = await createShop()
    await addDevice('demo-administrator', 'inquiry')
    service.behavior.responses = [[status]]
    await send(inquiry)
    await deliver()
    expect([await devices(), await rows(), service.arrived]).toEqual([[], [], []])
    await send(inquiry)
    expect(await rows()).toMatchObject([{ channel: 'webhook' }])
  })

  test('retries a notification after the time of Retry-After', async () => {
    const { deliver, send, addDevice, devices } = await createShop()
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
    const { deliver, send, addDevice, logged, rows } = await createShop()
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
    const { db, deliver, send, rows } = await createShop({ pushServices: [stopped.origin] })
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
    const { deliver, send, addDevice, logged, rows, db, people } = await createShop()
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
    const { send, addDevice, rows } = await createShop()
    await addDevice('demo-administrator', 'inquiry')
    clock.now = Date.parse(`2026-11-20T${time}+09:00`)
    await send(inquiry)
    expect((await rows()).map(({ dueAt }) => dueAt)).toEqual(Array(2).fill(iso(Date.parse(due))))
  })

  test('sends an urgent notification at night', async () => {
    const { deliver, send, addDevice } = await createShop()
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

  type Shop = Awaited<ReturnType<typeof createShop>>
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
    const shop = await createShop()
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
    const { db, deliver, send, addDevice, rows, devices } = await createShop()
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
    const { deliver, send, addDevice, rows } = await createShop({ pushServices: readSettings({}).pushServices })
    await addDevice('demo-approved', 'event')
    await send(event)
    const requests = service.requestTimes.length
    await deliver()
    expect(service.requestTimes).toHaveLength(requests)
    expect(await rows()).toMatchObject([{ state: 'failed', trouble: expect.stringContaining('PUSH_SERVICES') }])
  })

  test('delivers notifications while a slow mail server delays the e-mails', async () => {
    const { db, deliver, send, addDevice } = await createShop()
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

  test('signs the webhook as Standard Webhooks describes and leaves out the kinds of members', async () => {
    const webhook = await startWebhook()
    const { deliver, send, rows } = await createShop({ webhook })
    webhook.statuses.push(500)
    await send(inquiry)
    await send(event)
    await deliver()
    clock.now += MINUTE
    await deliver()
    const [first, second, ...others] = webhook.received
    expect(others).toEqual([])
    const click = 'https://example.jp/inbox'
    expect(JSON.parse(second?.body ?? '')).toEqual({
      ...{ kind: 'inquiry', title: 'お問い合わせが届きました', message: '受信箱でご確認ください。', click },
    })
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
      (name) => second?.headers[`webhook-${name}`],
    )
    const key = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${second?.body}`).digest('base64')
    expect(signature).toBe(`v1,${expected}`)
    expect([timestamp, id]).toEqual([String(clock.now / SECOND), first?.headers['webhook-id']])
    expect(await rows()).toMatchObject([{ channel: 'webhook', state: 'sent', text: '' }])
  })

  onSqlite('follows no redirect of the webhook', async () => {
    const webhook = await startWebhook()
    const { deliver, send, rows } = await createShop({ webhook })
    webhook.statuses.push(307)
    await send(inquiry)
    await deliver()
    expect(webhook.received.map(({ path }) => path)).toEqual(['/topic'])
    expect(await rows()).toMatchObject([{ state: 'failed', trouble: 'HTTP 307' }])
  })

  onSqlite('drops the webhook when NOTIFY_URL is not set', async () => {
    const { deliver, send, rows } = await createShop()
    await send(inquiry)
    await deliver()
    expect(await rows()).toEqual([])
  })
})

async function startWebhook() {
  const received: { path: string | undefined; headers: IncomingHttpHeaders; body: string }[] = []
  const statuses: number[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ path: request.url, headers: request.headers, body })
    response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/topic`
  return { url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`, received, statuses }
}

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

describe('isPushService', () => {
  const services = readSettings({}).pushServices

  test.each([
    'https://fcm.googleapis.com/fcm/send/abc:def',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/QAbc',
    'https://wns2-par02p.notify.windows.com/w/?token=abc',
  ])('accepts %s', (endpoint) => {
    expect(isPushService(endpoint, services)).toBe(true)
  })

  test.each([
    'https://127.0.0.1/push',
    'https://[::1]/push',
    'https://169.254.169.254/latest/meta-data',
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:8443/fcm/send/abc',
    'https://fcm.googleapis.com.example.jp/abc',
    'https://fcm.googleapis.com@example.jp/abc',
    'https://user:password@fcm.googleapis.com/abc',
    'https://any.fcm.googleapis.com/abc',
    'https://push.apple.com.example.jp/abc',
    'https://evilpush.apple.com/abc',
    'https://example.jp/.push.apple.com',
    'https://example.jp/#.push.apple.com',
    'file:///etc/passwd',
    'fcm.googleapis.com',
    '',
  ])('rejects %s', (endpoint) => {
    expect(isPushService(endpoint, services)).toBe(false)
  })
})

test('derives the same keys from the same secret, and other keys from another secret', () => {
  const { publicKey } = vapidKeys(secret)
  expect(publicKey).toMatch(/^B[\w-]{86}$/)
  expect(vapidKeys(secret).publicKey).toBe(publicKey)
  expect(vapidKeys(`${secret}!`).publicKey).not.toBe(publicKey)
})

// The test decrypts the messages of the site with the same function.
test('decrypts the example of RFC 8291', () => {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url')
  const auth = Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url')
  const body = [
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz',
    'AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  ]
  expect(decrypt(Buffer.from(body.join(''), 'base64url'), { ecdh, auth })).toBe(
    'When I grow up, I want to be a watermelon',
  )
})
