import { createHmac } from 'node:crypto'
import type { Db, OutboxRow } from '../../db/tables.ts'
import { DeliveryError, type Queue, SECOND_MS } from '../mail/outbox-queue.server.ts'
import { mayBeNotified } from '../permissions.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readRoles } from '../settings/roles.server.ts'
import { shopKinds } from './notifications.server.ts'
import type { PushKind } from './push-kinds.ts'
import { createPushRequest, type VapidKeys, vapidKeys } from './push-request.server.ts'
import { isPushService } from './push-services.ts'

const TIMEOUT_MS = 10 * SECOND_MS

export type NotificationDelivery = Pick<Queue, 'db' | 'clock' | 'log'> & {
  secret: string
  /** A `mailto:` or `https:` URL at which a push service can reach the operator. */
  contact: string
  pushServices: readonly string[]
  /** Endpoint of the operator. The secret is `whsec_` and a key in base64. */
  webhook: { url: string; secret: string } | null
  /** The origin of the links that the webhook receives. */
  origin: string
}

/** Creates the queue of the notifications. A slow mail server does not delay it, as it is apart from the e-mails. */
export function createNotificationQueue(delivery: NotificationDelivery): Queue {
  const { db, clock, log, secret } = delivery
  const vapid = vapidKeys(secret)
  const deliver = (row: OutboxRow) =>
    row.channel === 'webhook' ? callWebhook(delivery, row) : notifyDevice(delivery, vapid, row)
  const timing = { leaseMs: 3 * TIMEOUT_MS, pollIntervalMs: SECOND_MS / 2 }
  return { db, clock, log, channels: ['push', 'webhook'], ...timing, batchSize: 10, deliver }
}

async function notifyDevice(delivery: NotificationDelivery, vapid: VapidKeys, row: OutboxRow) {
  const { db, clock, contact, pushServices } = delivery
  const { id, subject, text, link, to } = row
  const kind = row.kind as PushKind
  const devices = db.selectFrom('pushDevices').selectAll()
  const device = await devices.where('id', '=', to ?? '').executeTakeFirst()
  if (!device || !(await mayAccountBeNotified(db, device.accountId, kind))) return null
  if (!isPushService(device.endpoint, pushServices))
    throw failure('Endpoint at no push service of PUSH_SERVICES', { isFinal: true })
  const urgency = shopKinds.includes(kind) ? 'high' : 'normal'
  // The tag and the topic let a repeated delivery replace the first one.
  const options = { vapid, contact, topic: id.replaceAll('-', ''), urgency } as const
  const request = await createPushRequest(device, { title: subject, body: text, url: link, tag: id }, options)
  const response = await post(device.endpoint, request)
  if (response.status === 404 || response.status === 410) {
    await db.deleteFrom('pushDevices').where('endpoint', '=', device.endpoint).execute()
    return null
  }
  checkAccepted(response, clock())
  return accepted
}

/** Whether the account still has a role that receives this kind. */
async function mayAccountBeNotified(db: Db, accountId: string, kind: PushKind) {
  const visitor = { accountId, name: '', email: '', emailVerified: false, ...(await readRoles(db, accountId)) }
  return mayBeNotified(visitor, kind) && (shopKinds.includes(kind) || (await isCircleOn(db)))
}

// Signs the request as the specification Standard Webhooks describes.
async function callWebhook({ clock, webhook, origin }: NotificationDelivery, row: OutboxRow) {
  if (!webhook) return null
  const { id, kind, subject: title, text: message, link } = row
  const body = JSON.stringify({ kind, title, message, click: `${origin}${link}` })
  const timestamp = String(Math.floor(clock() / 1000))
  const key = Buffer.from(webhook.secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  checkAccepted(await post(webhook.url, { headers, body }), clock())
  return accepted
}

// The text is deleted, as the text of a delivered e-mail is.
const accepted = { state: 'sent', text: '' } as const

async function post(url: string, request: { headers: Record<string, string>; body: string | Buffer<ArrayBuffer> }) {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(url, { ...request, method: 'POST', redirect: 'manual', signal })
  await response.body?.cancel()
  return response
}

function checkAccepted({ ok, status, headers }: Response, now: number) {
  if (ok) return
  const retryAfter = headers.get('retry-after') ?? ''
  const retryAfterMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND_MS : Date.parse(retryAfter) - now || 0
  throw failure(`HTTP ${status}`, { isFinal: status !== 429 && status < 500, retryAfterMs })
}

function failure(message: string, retry: Partial<DeliveryError>) {
  return Object.assign(new DeliveryError(message), retry)
}
