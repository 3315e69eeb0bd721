import crypto from 'node:crypto'

const CURVE = 'prime256v1'
const RECORD_SIZE = 4096
const TTL_SECONDS = 24 * 60 * 60
// At most 24 hours (RFC 8292). A shorter time tolerates a clock that is wrong by some hours.
const TOKEN_TTL_SECONDS = 12 * 60 * 60

export type VapidKeys = ReturnType<typeof vapidKeys>

/**
 * Derives the site's keys for all push services from its secret, so that nothing is stored and all processes have the
 * same keys. Browsers need `publicKey`, in base64url, to subscribe.
 */
export function vapidKeys(secret: string) {
  const key = deriveKey(secret, '', 'noren push notifications', 32)
  const privateKey = crypto.createPrivateKey({ key, format: 'raw-private', asymmetricKeyType: 'ec', namedCurve: CURVE })
  const publicKey = crypto.createPublicKey(privateKey).export({ format: 'raw-public' }).toString('base64url')
  return { privateKey, publicKey }
}

type Device = { endpoint: string; publicKey: string; authSecret: string }
type PushOptions = {
  vapid: VapidKeys
  /** A `mailto:` or `https:` URL at which a push service can reach the operator. */
  contact: string
  /** Milliseconds since 1970. */
  now: number
  /** A push service replaces an undelivered message by a message with the same topic. At most 32 characters. */
  topic: string
  urgency: 'normal' | 'high'
}

/** Creates the request that delivers a payload to a device (RFC 8030). Throws if the device's keys are invalid. */
export function createPushRequest(device: Device, payload: object, options: PushOptions) {
  const headers = {
    authorization: `vapid t=${createToken(device, options)}, k=${options.vapid.publicKey}`,
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: String(TTL_SECONDS),
    topic: options.topic,
    urgency: options.urgency,
  }
  return { headers, body: encrypt(JSON.stringify(payload), device) }
}

// Signs a JSON Web Token with ES256 (RFC 8292).
function createToken({ endpoint }: Device, { vapid, contact, now }: PushOptions) {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + TOKEN_TTL_SECONDS, sub: contact }
  const content = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = crypto.sign('sha256', Buffer.from(content), { key: vapid.privateKey, dsaEncoding: 'ieee-p1363' })
  return `${content}.${signature.toString('base64url')}`
}

// Encrypts a text as one record (RFC 8188) with a key that only the device can derive (RFC 8291).
function encrypt(text: string, device: Device) {
  const devicePublicKey = Buffer.from(device.publicKey, 'base64url')
  const ecdh = crypto.createECDH(CURVE)
  const publicKey = ecdh.generateKeys()
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), devicePublicKey, publicKey])
  const authSecret = Buffer.from(device.authSecret, 'base64url')
  const inputKey = deriveKey(ecdh.computeSecret(devicePublicKey), authSecret, keyInfo, 32)
  const salt = crypto.randomBytes(16)
  const key = deriveKey(inputKey, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = deriveKey(inputKey, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = crypto.createCipheriv('aes-128-gcm', key, nonce)
  const header = Buffer.alloc(5)
  header.writeUInt32BE(RECORD_SIZE)
  header.writeUInt8(publicKey.length, 4)
  const lastRecordMark = Buffer.of(2)
  const encrypted = [cipher.update(text), cipher.update(lastRecordMark), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([salt, header, publicKey, ...encrypted])
}

function deriveKey(key: string | Buffer, salt: string | Buffer, info: string | Buffer, length: number) {
  return Buffer.from(crypto.hkdfSync('sha256', key, salt, info, length))
}
