import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { Rejection } from '../forms/outcome.ts'
import { type AccountDeps, notifyVerifiedAccount } from './account-deps.server.ts'
import { passkeyAddedMail, passkeyRemovedMail } from './account-mails.ts'
import type { AuthRequest } from './auth.server.ts'
import { deleteCookie, readSignedCookie, setSignedCookie } from './cookies.server.ts'
import { newToken } from './mailed-links.server.ts'
import { MAX_PASSKEYS } from './passkey-forms.ts'
import { isProofCurrent, lockAccount, passwordHashOf } from './password-proof.server.ts'
import { storePending, usePending } from './pending-sign-ins.server.ts'
import { enterSession, type Session, startSession } from './sessions.server.ts'

const BROWSER_COOKIE = 'passkey'
const CHALLENGE_TTL_MS = 5 * 60_000

// EdDSA, ES256 and RS256. The default includes ML-DSA, which Node calls experimental in a warning.
const ALGORITHMS = [-8, -7, -257]

// The library checks the other fields.
const Credential = z.looseObject({ id: z.base64url(), response: z.looseObject({ clientDataJSON: z.base64url() }) })
const ClientData = z.object({ challenge: z.base64url() })

// The library takes long to load, and most visitors sign in in another way.
const loadWebAuthn = () => import('@simplewebauthn/server')

// Browsers bind each passkey to this host name.
const rpIdOf = (origin: string) => new URL(origin).hostname

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

/** Uses up the challenge of a response. Returns the challenge and its stored value, or null if it is not valid. */
async function useChallenge(db: Kysely<Tables>, owner: string, clientDataJSON: string, now: number) {
  const challenge = parseJson(ClientData, Buffer.from(clientDataJSON, 'base64url').toString())?.challenge
  const value = challenge === undefined ? null : await usePending(db, challengeId(owner, challenge), now)
  return challenge === undefined || value === null ? null : { challenge, value }
}

function logRefusal(log: Logger) {
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
  await storePending(db, challengeId(`browser ${browser}`, options.challenge), '', {
    now: clock(),
    ttl: CHALLENGE_TTL_MS,
  })
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

const userHandleOf = (accountId: string) => Buffer.from(accountId)

type Adding = { deps: AccountDeps; origin: string; session: Session; log: Logger }

/** Returns the options for a new passkey. The caller must reauthenticate the user, because the options permit to add. */
export async function startPasskey(
  { deps: { db, now }, origin, session }: Omit<Adding, 'log'>,
  name: string,
  rpName: string,
) {
  const { accountId, email } = session
  const passkeys = await listPasskeys(db, accountId)
  if (passkeys.length >= MAX_PASSKEYS) throw new Rejection(TOO_MANY)
  const { generateRegistrationOptions } = await loadWebAuthn()
  const options = await generateRegistrationOptions({
    rpName,
    rpID: rpIdOf(origin),
    userID: new Uint8Array(userHandleOf(accountId)),
    userName: email,
    userDisplayName: session.name,
    timeout: CHALLENGE_TTL_MS,
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: passkeys.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await storePending(db, challengeId(`session ${session.id}`, options.challenge), name, { now, ttl: CHALLENGE_TTL_MS })
  return options
}

const TOO_MANY = `パスキーは${MAX_PASSKEYS}個まで追加できます。使っていないパスキーを削除してから、もう一度お試しください。`

/** Adds the passkey and notifies a verified address. Returns false if the response or the session is not valid. */
export async function addPasskey({ deps, origin, session, log }: Adding, text: string) {
  const { db, now } = deps
  const response = parseCredential<RegistrationResponseJSON>(text)
  const used = response && (await useChallenge(db, `session ${session.id}`, response.response.clientDataJSON, now))
  if (!used) return false
  const { verifyRegistrationResponse } = await loadWebAuthn()
  const verification = await verifyRegistrationResponse({
    response,
    expectedChallenge: used.challenge,
    expectedOrigin: origin,
    expectedRPID: rpIdOf(origin),
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(logRefusal(log))
  if (!verification?.verified) return false
  const { id, publicKey, counter } = verification.registrationInfo.credential
  const { accountId } = session
  return inTransaction(db, async (trx) => {
    // A new password ends the session, and so does signing out on another device.
    if (!(await isProofCurrent(trx, session, { hash: await passwordHashOf(trx, accountId) }))) return false
    const added = await trx
      .insertInto('passkeys')
      .values({
        ...{ id, accountId, name: used.value, counter, usedAt: null },
        publicKey: Buffer.from(publicKey).toString('base64url'),
        createdAt: new Date(now).toISOString(),
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (added) await notifyVerifiedAccount({ ...deps, db: trx }, accountId, passkeyAddedMail(deps.origin))
    return added !== undefined
  })
}

export async function listPasskeys(db: Kysely<Tables>, accountId: string) {
  return db
    .selectFrom('passkeys')
    .select(['id', 'name', 'createdAt', 'usedAt'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function renamePasskey(db: Kysely<Tables>, accountId: string, { id, name }: { id: string; name: string }) {
  const own = db.updateTable('passkeys').set({ name }).where('id', '=', id).where('accountId', '=', accountId)
  if (!(await own.returning('id').executeTakeFirst())) throw new Rejection(REMOVED, 404)
}

const REMOVED = 'このパスキーは、すでに削除されています。'

export async function removePasskey(deps: AccountDeps, accountId: string, id: string) {
  await inTransaction(deps.db, async (db) => {
    const own = db.deleteFrom('passkeys').where('id', '=', id).where('accountId', '=', accountId)
    if (!(await own.returning('id').executeTakeFirst())) throw new Rejection(REMOVED, 404)
    await notifyVerifiedAccount({ ...deps, db }, accountId, passkeyRemovedMail(deps.origin))
  })
}
