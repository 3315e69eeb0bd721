import { createHmac } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { OutboxRow, Tables } from '../../db/tables.ts'
import { DeliveryError, deliverDueRows, type Queue, SECOND_MS, startQueue } from '../mail/outbox-queue.server.ts'
import { mayBeNotified } from '../permissions.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readRoles } from '../settings/roles.server.ts'
import { shopKinds } from './notifications.server.ts'
import type { PushKind } from './push-kinds.ts'
import { createPushRequest, type VapidKeys } from './push-request.server.ts'
import { isPushService } from './push-services.ts'

const TIMEOUT_MS = 10 * SECOND_MS
const LEASE_MS = 30 * SECOND_MS
const POLL_INTERVAL_MS = SECOND_MS
const BATCH_SIZE = 10

export type NotificationDelivery = Pick<Queue, 'db' | 'clock' | 'log'> & {
  vapid: VapidKeys
  /** A `mailto:` or `https:` URL at which a push service can reach the operator. */
  contact: string
  pushServices: readonly string[]
  webhook: Webhook | null
  /** The origin of the links that the webhook receives. */
  origin: string
}

/** Endpoint of the operator. The secret is `whsec_` and a key in base64. */
export type Webhook = { url: string; secret: string }

/** Delivers the due notifications. Returns the number of attempts. */
export function deliverDueNotifications(delivery: NotificationDelivery, signal: AbortSignal) {
  return deliverDueRows(createQueue(delivery), signal)
}

/** Polls for due notifications. Returns a function that stops polling and waits for the current deliveries. */
export function startNotificationDelivery(delivery: NotificationDelivery) {
  return startQueue(createQueue(delivery), POLL_INTERVAL_MS)
}

function createQueue(delivery: NotificationDelivery): Queue {
  const { db, clock, log } = delivery
  const deliver = (row: OutboxRow) =>
    row.channel === 'webhook' ? callWebhook(delivery, row) : notifyDevice(delivery, row)
  return { db, clock, log, channels: ['push', 'webhook'], leaseMs: LEASE_MS, batchSize: BATCH_SIZE, deliver }
}

async function notifyDevice({ db, clock, vapid, contact, pushServices }: NotificationDelivery, row: OutboxRow) {
  const { id, subject, text, link, to } = row
  const kind = row.kind as PushKind
  const device = await db
    .selectFrom('pushDevices')
    .selectAll()
    .where('id', '=', to ?? '')
    .executeTakeFirst()
  if (!device || !(await mayAccountBeNotified(db, device.accountId, kind))) return null
  if (!isPushService(device.endpoint, pushServices))
    throw new DeliveryError('Endpoint at no push service of PUSH_SERVICES', { isFinal: true })
  const urgency = shopKinds.includes(kind) ? 'high' : 'normal'
  // The tag and the topic let a repeated delivery replace the first one.
  const options = { vapid, contact, now: clock(), topic: id.replaceAll('-', ''), urgency } as const
  const response = await post(
    device.endpoint,
    createRequest(device, { title: subject, body: text, url: link, tag: id }, options),
  )
  if (response.status === 404 || response.status === 410) {
    await db.deleteFrom('pushDevices').where('endpoint', '=', device.endpoint).execute()
    return null
  }
  checkAccepted(response, clock())
  return delivered
}

// No retry can succeed if the keys that the browser sent are invalid.
function createRequest(...request: Parameters<typeof createPushRequest>) {
  try {
    return createPushRequest(...request)
  } catch (error) {
    throw new DeliveryError(String(error), { isFinal: true })
  }
}

/** Whether the account still has a role that receives this kind. */
async function mayAccountBeNotified(db: Kysely<Tables>, accountId: string, kind: PushKind) {
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
  return delivered
}

// The text is deleted, as the text of a delivered e-mail is.
const delivered = { state: 'sent', text: '' } as const

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
  throw new DeliveryError(`HTTP ${status}`, { isFinal: status !== 429 && status < 500, retryAfterMs })
}
