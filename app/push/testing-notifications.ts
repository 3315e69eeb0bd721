import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { noon } from '../../server/testing.ts'
import { hireStaff, openAccounts, registerPeople } from '../../server/tools/demo.ts'
import { deliverDueRows } from '../mail/outbox-queue.server.ts'
import { createNotificationQueue, type NotificationDelivery } from './notification-delivery.server.ts'
import { enqueueNotification, type Notification } from './notifications.server.ts'
import type { PushKind } from './push-kinds.ts'
import { vapidKeys } from './push-request.server.ts'
import { addTestDevice, startPushService } from './testing-push-service.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const iso = (instant: number) => new Date(instant).toISOString()
export const secret = 'the secret of the tests, of no use anywhere else'
export const inquiry = {
  kind: 'inquiry',
  title: 'お問い合わせが届きました',
  body: '受信箱でご確認ください。',
  path: '/inbox',
} as const
export const event = {
  kind: 'event',
  title: '新しい予定です',
  body: '11月28日（土）「早朝練習」',
  path: '/memberlist',
} as const

export const clock = { now: noon }
export let service: Awaited<ReturnType<typeof startPushService>>

/** Starts `service` for the tests of a file. Each test begins at noon. */
export function usePushService() {
  beforeAll(async () => {
    service = await startPushService()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    clock.now = noon
    service.behavior.responses = []
    for (const list of [service.arrived, service.rejected]) list.length = 0
  })
}

type Options = Partial<Pick<NotificationDelivery, 'pushServices' | 'webhook'>>

/** Returns functions that send notifications, deliver them to `service` and read the outbox. */
export function createDelivery(db: Db, { pushServices = [service.origin], webhook = null }: Options = {}) {
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

/** Returns a shop with members, staff and an empty outbox. */
export async function createShop(db: Db, options: Options = {}) {
  await openAccounts(db, 'password', noon)
  const people = await registerPeople(db, noon)
  await hireStaff(db, noon)
  await db.deleteFrom('outbox').execute()
  return { db, people, ...createDelivery(db, options) }
}
