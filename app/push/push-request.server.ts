import { createECDH, hkdfSync } from 'node:crypto'

const TTL_SECONDS = 24 * 60 * 60

/** Keys of the site for all push services (RFC 8292), in base64url. Browsers need `publicKey` to subscribe. */
export type VapidKeys = { publicKey: string; privateKey: string }

/** Derives the keys from the site's secret, so that nothing is stored and all processes have the same keys. */
export function vapidKeys(secret: string): VapidKeys {
  const privateKey = Buffer.from(hkdfSync('sha256', secret, '', 'noren push notifications', 32))
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  return { publicKey: ecdh.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}

type Device = { endpoint: string; publicKey: string; authSecret: string }
type PushOptions = {
  vapid: VapidKeys
  /** A `mailto:` or `https:` URL at which a push service can reach the operator. */
  contact: string
  /** A push service replaces an undelivered message by a message with the same topic. At most 32 characters. */
  topic: string
  urgency: 'normal' | 'high'
}

/** Creates the request that delivers a payload to a device (RFC 8030, RFC 8291). */
export async function createPushRequest(
  { endpoint, publicKey: p256dh, authSecret: auth }: Device,
  payload: object,
  { vapid, contact, topic, urgency }: PushOptions,
) {
  // The library is loaded with the first notification to save memory.
  const { default: webPush } = await import('web-push')
  const options = { TTL: TTL_SECONDS, topic, urgency, vapidDetails: { subject: contact, ...vapid } }
  const subscription = { endpoint, keys: { p256dh, auth } }
  const { headers, body } = webPush.generateRequestDetails(subscription, JSON.stringify(payload), options)
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { headers: Object.fromEntries(texts) as Record<string, string>, body: Buffer.from(body ?? []) }
}
