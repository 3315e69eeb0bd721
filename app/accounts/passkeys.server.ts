import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { AuthRequest } from './auth.server.ts'
import { deleteCookie, readSignedCookie, setSignedCookie } from './cookies.server.ts'
import { newToken } from './mailed-links.server.ts'
import { lockAccount } from './password-proof.server.ts'
import { storePending, usePending } from './pending-sign-ins.server.ts'
import { enterSession, startSession } from './sessions.server.ts'

const BROWSER_COOKIE = 'passkey'
export const CHALLENGE_TTL_MS = 5 * 60_000

// The library checks the other fields.
const Credential = z.looseObject({ id: z.base64url(), response: z.looseObject({ clientDataJSON: z.base64url() }) })
const ClientData = z.object({ challenge: z.base64url() })

// The library takes long to load, and most visitors sign in in another way.
export const loadWebAuthn = () => import('@simplewebauthn/server')

// Browsers bind each passkey to this host name.
export const rpIdOf = (origin: string) => new URL(origin).hostname

const challengeId = (owner: string, challenge: string) => `passkey:${owner}:${challenge}`

export function parseCredential<T extends AuthenticationResponseJSON | RegistrationResponseJSON>(text: string) {
  return parseJson(Credential, text) as unknown as T | null
}

function parseJson<T>(schema: z.ZodType<T>, text: string) {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

export function storeChallenge(
  db: Db,
  owner: string,
  { challenge, value = '' }: { challenge: string; value?: string },
  now: number,
) {
  return storePending(db, challengeId(owner, challenge), value, { now, ttl: CHALLENGE_TTL_MS })
}

/** Uses up the challenge of a response. Returns the challenge and its stored value, or null if it is not valid. */
export async function useChallenge(db: Db, owner: string, clientDataJSON: string, now: number) {
  const challenge = parseJson(ClientData, Buffer.from(clientDataJSON, 'base64url').toString())?.challenge
  if (challenge === undefined) return null
  const value = await usePending(db, challengeId(owner, challenge), now)
  return value === null ? null : { challenge, value }
}

export function logRefusal(log: Logger) {
  return ({ message }: Error) => {
    log.info({ reason: message }, 'passkey refused')
    return null
  }
}

/** Returns the options for the sign-in with any passkey of this site. Only this browser can use the challenge. */
export async function startPasskeySignIn(auth: AuthRequest) {
  const { db, clock } = auth.settings
  const { generateAuthenticationOptions } = await loadWebAuthn()
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(auth.origin),
    userVerification: 'required',
    timeout: CHALLENGE_TTL_MS,
  })
  const browser = readSignedCookie(auth, BROWSER_COOKIE) || newToken()
  setSignedCookie(auth, BROWSER_COOKIE, browser, CHALLENGE_TTL_MS / 1000)
  await storeChallenge(db, `browser ${browser}`, options, clock())
  return options
}

/** Signs in with a passkey. Returns false for every failure, so that no response reveals an account. */
export async function signInWithPasskey(auth: AuthRequest, response: AuthenticationResponseJSON) {
  const { db, clock, log, verifies } = auth.settings
  const browser = readSignedCookie(auth, BROWSER_COOKIE)
  const used = browser && (await useChallenge(db, `browser ${browser}`, response.response.clientDataJSON, clock()))
  const passkey = await db.selectFrom('passkeys').selectAll().where('id', '=', response.id).executeTakeFirst()
  if (!used || !passkey || response.response.userHandle !== userHandleOf(passkey.accountId).toString('base64url'))
    return false
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  const { id, counter, publicKey } = passkey
  const verification = await verifyAuthenticationResponse({
    response,
    expectedChallenge: used.challenge,
    expectedOrigin: auth.origin,
    expectedRPID: rpIdOf(auth.origin),
    credential: { id, counter, publicKey: Buffer.from(publicKey, 'base64url') },
    requireUserVerification: true,
  }).catch(logRefusal(log))
  if (!verification?.verified) return false
  const { newCounter } = verification.authenticationInfo
  const earlierSession = await auth.session()
  const token = await inTransaction(db, async (trx) => {
    await lockAccount(trx, passkey.accountId)
    // The passkey may have been used or removed during its verification.
    const current = await trx
      .updateTable('passkeys')
      .set({ counter: newCounter, usedAt: new Date(clock()).toISOString() })
      .where('id', '=', id)
      .where('counter', '=', counter)
      .returning('accountId')
      .executeTakeFirst()
    if (!current) return null
    const account = trx.selectFrom('accounts').select('emailVerified').where('id', '=', current.accountId)
    if (verifies && !(await account.executeTakeFirst())?.emailVerified) return null
    return startSession(trx, auth, current.accountId)
  })
  if (token === null) return false
  deleteCookie(auth, BROWSER_COOKIE)
  await enterSession(auth, token, earlierSession)
  return true
}

export const userHandleOf = (accountId: string) => Buffer.from(accountId)

export async function listPasskeys(db: Db, accountId: string) {
  return db
    .selectFrom('passkeys')
    .select(['id', 'name', 'createdAt', 'usedAt'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}
