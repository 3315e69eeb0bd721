import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { expect } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { type browserOf, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { PASSKEY_REFUSED } from './account-forms.ts'

export const MINUTE_MS = 60_000
export type Site = Awaited<ReturnType<typeof sampleSite>>
export type Browser = ReturnType<typeof browserOf>
type Options = { challenge: string; user?: { id: string } }
type Reply = SaveResult & { passkey?: Options }

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const toBase64 = (data: string | Buffer) => Buffer.from(data).toString('base64url')

const PRESENT_AND_VERIFIED = 0x05
const HAS_CREDENTIAL = 0x40

type Cbor = number | string | Buffer | Map<number | string, Cbor>

/** Encodes the few types of an attestation (RFC 8949). */
function encodeCbor(value: Cbor): Buffer {
  const head = (type: number, size: number) =>
    Buffer.from(
      size < 24
        ? [(type << 5) | size]
        : size < 256
          ? [(type << 5) | 24, size]
          : [(type << 5) | 25, size >> 8, size & 0xff],
    )
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item)])
  return Buffer.concat([head(5, value.size), ...entries])
}

type Changes = { origin?: string; rpId?: string; flags?: number; challenge?: string; counter?: number; handle?: string }

/** An authenticator with one passkey, as a phone or a security key has it. */
export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  const state = { counter: 0, handle: '' }

  const clientDataOf = (type: string, options: Options, { origin = 'http://localhost', challenge }: Changes) =>
    JSON.stringify({ type, challenge: challenge ?? options.challenge, origin, crossOrigin: false })

  const dataOf = (flags: number, { rpId = 'localhost', counter }: Changes) => {
    state.counter = counter ?? state.counter + 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(state.counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }

  return {
    id: toBase64(id),

    create(options: Options, changes: Changes = {}) {
      state.handle = options.user?.id ?? ''
      const key = new Map<number, Cbor>([
        ...([
          [1, 2],
          [3, -7],
          [-1, 1],
        ] as const),
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ])
      const data = dataOf(changes.flags ?? PRESENT_AND_VERIFIED | HAS_CREDENTIAL, changes)
      const authData = Buffer.concat([data, Buffer.alloc(16), Buffer.from([0, id.length]), id, encodeCbor(key)])
      const attestation = new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      return {
        ...credentialOf(toBase64(id)),
        response: {
          clientDataJSON: toBase64(clientDataOf('webauthn.create', options, changes)),
          attestationObject: toBase64(encodeCbor(attestation)),
        },
      }
    },

    sign(options: Options, changes: Changes = {}): AuthenticationResponseJSON {
      const clientData = clientDataOf('webauthn.get', options, changes)
      const data = dataOf(changes.flags ?? PRESENT_AND_VERIFIED, changes)
      return {
        ...credentialOf(toBase64(id)),
        response: {
          clientDataJSON: toBase64(clientData),
          authenticatorData: toBase64(data),
          signature: toBase64(sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey)),
          userHandle: changes.handle ?? state.handle,
        },
      }
    },
  }
}

const credentialOf = (id: string) => ({ id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} })

async function post(browser: Browser, path: string, fields: Record<string, string>) {
  const response = await browser.post(`${path}.data`, fields)
  return { status: response.status, ...(await actionDataOf<Reply>(response)) }
}

/** Requests a challenge for the sign-in. */
export async function requestChallenge(browser: Browser) {
  return (await post(browser, '/login', { intent: 'start passkey' })).passkey as Options
}

/** Sends the response of an authenticator to the sign-in. */
export function sendResponse(browser: Browser, response: object) {
  return post(browser, '/login', { intent: 'passkey', response: JSON.stringify(response) })
}

export const requestCreation = (browser: Browser, fields: Record<string, string> = {}) =>
  post(browser, '/account', { intent: 'start passkey', name: '電話', current: hana.password, ...fields })

/** Sends the response of an authenticator to the account page. */
export function sendCreation(browser: Browser, response: object) {
  return post(browser, '/account', { intent: 'add passkey', response: JSON.stringify(response) })
}

/** Adds a passkey to the account of the browser. Returns its authenticator. */
export async function addPasskey(browser: Browser, fields: Record<string, string> = {}) {
  const authenticator = createAuthenticator()
  const { passkey } = await requestCreation(browser, fields)
  const { done } = await sendCreation(browser, authenticator.create(passkey as Options))
  if (!done) throw new Error('Passkey not added; expected a response with `done`')
  return authenticator
}

/** Returns a site with the account of Hana, her signed-in browser, and a function that reads all passkeys. */
export async function siteWithHana(db: Db, options: { verifies?: boolean } = {}) {
  const site = await sampleSite(db, {}, options)
  const browser = await signInBrowser(site, hana)
  const passkeys = () => db.selectFrom('passkeys').selectAll().orderBy('createdAt').execute()
  return { site, browser, passkeys }
}

export async function isSignedIn(browser: Browser) {
  return !(await browser.text('/account')).includes('ログインしてからご覧ください')
}

/** Asserts that the response signs nobody in, with the one sentence for all failures. */
export async function expectRefused(browser: Browser, response: object) {
  expect(await sendResponse(browser, response)).toEqual({ status: 401, intent: 'passkey', trouble: PASSKEY_REFUSED })
  expect(await isSignedIn(browser)).toBe(false)
}
