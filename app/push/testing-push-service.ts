import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  type JsonWebKeyInput,
  randomBytes,
  verify,
} from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Db } from '../../db/tables.ts'
import { makeCertificate } from '../../server/testing-certificate.ts'
import type { PushKind } from './push-kinds.ts'

const DAY_SECONDS = 24 * 60 * 60

type Payload = { title: string; body: string; url: string; tag: string }

/** A received and verified notification. `device` is the ID of the device. */
export type ReceivedPush = Payload & { device: string; ttl: number; topic: string; urgency: string; contact: string }

type Behavior = {
  /** Status and headers of the next responses. After them, the response is 201. */
  responses: [status: number, headers?: Record<string, string>][]
  /** Sends no response. */
  stalls?: boolean
  /** Called before each request is read. */
  onRequest?: () => Promise<void> | void
}

/**
 * Starts a push service with TLS on a free port of this machine. It decrypts each message (RFC 8291) and verifies its
 * token (RFC 8292) without code of the site or of its library. `arrived` contains the accepted notifications, `rejected`
 * the errors of all others.
 */
export async function startPushService() {
  const { key, cert } = makeCertificate()
  const certificateFile = join(mkdtempSync(join(tmpdir(), 'noren-push-')), 'cert.pem')
  writeFileSync(certificateFile, cert)
  // This process trusts the certificate. Another process trusts it by NODE_EXTRA_CA_CERTS.
  setDefaultCACertificates([...getCACertificates('default'), cert.toString()])
  const arrived: ReceivedPush[] = []
  const rejected: string[] = []
  const requestTimes: number[] = []
  const behavior: Behavior = { responses: [] }
  const keysByDevice = new Map<string, { ecdh: ECDH; auth: Buffer; siteKey: string }>()

  const server = createServer({ key, cert }, (request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`

  async function receive(request: IncomingMessage, response: ServerResponse) {
    requestTimes.push(performance.now())
    await behavior.onRequest?.()
    const body = Buffer.concat(await request.toArray())
    if (behavior.stalls) return
    const [status, headers = {}] = behavior.responses.shift() ?? [201]
    try {
      const push = read(request, body)
      if (status === 201) arrived.push(push)
      response.writeHead(status, headers).end()
    } catch (error) {
      rejected.push(String(error))
      response.writeHead(400).end()
    }
  }

  function read({ url = '', headers }: IncomingMessage, body: Buffer): ReceivedPush {
    const device = url.split('/').at(-1) ?? ''
    const keys = keysByDevice.get(device)
    if (!keys) throw new Error(`Unknown device: ${device}`)
    if (headers['content-encoding'] !== 'aes128gcm') throw new Error(`Encoding: ${headers['content-encoding']}`)
    const contact = verifyToken(headers.authorization ?? '', { origin, siteKey: keys.siteKey })
    const [ttl, topic, urgency] = [Number(headers.ttl), String(headers.topic), String(headers.urgency)]
    if (!(ttl > 0 && ttl <= DAY_SECONDS)) throw new Error(`TTL: ${ttl}`)
    if (!/^[\w-]{1,32}$/.test(topic)) throw new Error(`Topic: ${topic}`)
    return { ...(JSON.parse(decrypt(body, keys)) as Payload), device, ttl, topic, urgency, contact }
  }

  return {
    origin,
    certificateFile,
    arrived,
    rejected,
    requestTimes,
    behavior,
    /** Returns the subscription of a new device to the site with this key. */
    subscribe(siteKey: string) {
      const device = crypto.randomUUID()
      const ecdh = createECDH('prime256v1')
      const publicKey = ecdh.generateKeys('base64url')
      const auth = randomBytes(16)
      keysByDevice.set(device, { ecdh, auth, siteKey })
      return { id: device, endpoint: `${origin}/push/${device}`, publicKey, authSecret: auth.toString('base64url') }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Adds a device of an account, which receives these kinds. Returns its ID. */
export async function addTestDevice(
  db: Db,
  accountId: string,
  subscription: { id: string; endpoint: string; publicKey: string; authSecret: string },
  ...kinds: PushKind[]
) {
  const row = { accountId, sessionId: 'session', name: 'iPhone', kinds: kinds.join(' ') }
  await db
    .insertInto('pushDevices')
    .values({ ...subscription, ...row, createdAt: '2026-11-20T00:00:00.000Z' })
    .execute()
  return subscription.id
}

// Returns the `sub` of the token.
function verifyToken(authorization: string, site: { origin: string; siteKey: string }) {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? []
  if (publicKey !== site.siteKey) throw new Error('Another site subscribed the device')
  const [header = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33, 65).toString('base64url')]
  const jwk: JsonWebKeyInput = { key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' }
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: createPublicKey(jwk), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  if (!isSigned || parse(header).alg !== 'ES256') throw new Error('Invalid signature')
  const { aud, exp, sub } = parse(claims)
  if (aud !== site.origin) throw new Error(`aud: ${aud}`)
  const seconds = Date.now() / 1000
  if (!(exp > seconds && exp <= seconds + DAY_SECONDS)) throw new Error(`exp: ${exp}`)
  if (!/^(?:mailto:[^@]+@[^@]+|https:\/\/.+)$/.test(sub)) throw new Error(`sub: ${sub}`)
  return String(sub)
}

/** Decrypts a message of one record with the keys of a device, as RFC 8188 and RFC 8291 describe. */
export function decrypt(body: Buffer, { ecdh, auth }: { ecdh: ECDH; auth: Buffer }) {
  const salt = body.subarray(0, 16)
  const recordSize = body.readUInt32BE(16)
  const keyLength = body.readUInt8(20)
  const senderKey = body.subarray(21, 21 + keyLength)
  const record = body.subarray(21 + keyLength)
  if (record.length > recordSize) throw new Error('More than one record')
  const derive = (key: Buffer, saltOfKey: Buffer, info: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, saltOfKey, info, length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey])
  const inputKey = derive(ecdh.computeSecret(senderKey), auth, info, 32)
  const contentKey = derive(inputKey, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(inputKey, salt, 'Content-Encoding: nonce\0', 12)
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce, { authTagLength: 16 })
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('Invalid padding')
  return padded.subarray(0, end).toString()
}
