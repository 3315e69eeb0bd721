import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Logger } from 'pino'
import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { mayUseApiTokens, type Visitor } from '../permissions.ts'
import { readRoles } from '../settings/roles.server.ts'
import { bearerTokenOf, findApiToken } from './api-tokens.server.ts'
import { cookieOf, readCookie } from './cookies.server.ts'
import { createGoogleSignIn, type GoogleOptions } from './google-sign-in.server.ts'
import { addKnownDevice, findKnownDevice } from './known-device.server.ts'
import type { GoogleClient } from './openid.server.ts'
import { signInWithPasskey, startPasskeySignIn } from './passkeys.server.ts'
import type { PasswordPolicy } from './password.ts'
import { verifyPassword } from './password-hash.server.ts'
import { lockAccount, type PasswordProof, passwordHashOf } from './password-proof.server.ts'
import { createReauthToken, isReauthToken } from './reauthentication.server.ts'
import { endSession, enterSession, readSession, type Session, startSession } from './sessions.server.ts'

export type AuthSettings = {
  db: Db
  clock: () => number
  log: Logger
  /** Key of the cookie signatures. */
  secret: string
  passwords: PasswordPolicy
  google: GoogleClient | null
  verifies: boolean
  mailOriginOf: (origin: string) => string
  onSessionEnded: (accountId: string) => void
}

/** A request and the visitor's IP address, null if unknown. `cookies` are the Set-Cookie headers of the response. */
export type AuthRequest = {
  settings: AuthSettings
  request: Request
  origin: string
  address: string | null
  cookies: string[]
  session: () => Promise<Session | null>
}

/** Account operations of one request. The caller must add `cookies` to the response. */
export type Auth = ReturnType<ReturnType<typeof createAuth>>

const DEVICE_COOKIE = 'device'
const DEVICE_MAX_AGE = 365 * 24 * 60 * 60

export function createAuth(settings: AuthSettings) {
  const google = createGoogleSignIn(settings)

  return (incoming: Pick<AuthRequest, 'request' | 'origin' | 'address'>) => {
    const bearerToken = bearerTokenOf(incoming.request)
    let sessionPromise: Promise<Session | null> | undefined
    const session = async () => {
      // A request with an API token has no session, even if the request has a session cookie.
      if (bearerToken !== null) return null
      sessionPromise ??= readSession(auth)
      return sessionPromise
    }
    const auth: AuthRequest = { ...incoming, settings, cookies: [], session }

    return {
      cookies: auth.cookies,
      address: auth.address,
      passwords: settings.passwords,
      verifies: settings.verifies,
      hasGoogle: settings.google !== null,

      session,

      visitor: async (): Promise<Visitor> => {
        if (bearerToken !== null) return (await readApiToken(settings, bearerToken))?.visitor ?? null
        const currentSession = await session()
        if (!currentSession) return null
        const { id, begunAt, ...account } = currentSession
        return { ...account, ...(await readRoles(settings.db, account.accountId)) }
      },

      hasBearerToken: bearerToken !== null,

      apiToken: () => readApiToken(settings, bearerToken),

      /** Returns the known device or null. Known devices have own limits, so strangers cannot lock the owner out. */
      knownDevice: async (email: string) => {
        const currentSession = await session()
        return currentSession?.email === email
          ? currentSession.id
          : findKnownDevice(settings, readCookie(auth.request, auth.origin, DEVICE_COOKIE), email)
      },

      rememberDevice: async (accountSession: Pick<Session, 'accountId'> & { id?: string }) => {
        const cookie = readCookie(auth.request, auth.origin, DEVICE_COOKIE)
        const value = await addKnownDevice(settings, cookie, accountSession)
        if (value) auth.cookies.push(cookieOf(auth.origin, DEVICE_COOKIE, value, DEVICE_MAX_AGE))
      },

      permit: (purpose: string, session: Session, proof: PasswordProof) =>
        createReauthToken(settings, purpose, session, proof),

      isPermitted: async (purpose: string, permit: string) => {
        const currentSession = await session()
        return currentSession !== null && isReauthToken(settings, purpose, currentSession, permit)
      },

      /** Signs in. Returns 'refused' for wrong credentials, and 'unverified' only if the password is right. */
      signIn: (email: string, password: string) => signIn(auth, { email, password }, settings.verifies),

      /** Signs in even with an unverified address. The caller must verify the identity in another way. */
      signInUnproven: (email: string, password: string) => signIn(auth, { email, password }, false),

      startPasskeySignIn: () => startPasskeySignIn(auth),

      signInWithPasskey: (response: AuthenticationResponseJSON) => signInWithPasskey(auth, response),

      signOut: () => endSession(auth),

      startGoogle: (returnTo: string, options: GoogleOptions) => google.start(auth, returnTo, options),

      finishGoogle: () => google.finish(auth),
    }
  }
}

async function signIn(auth: AuthRequest, { email, password }: Record<'email' | 'password', string>, verifies: boolean) {
  const { db } = auth.settings
  const earlierSession = await auth.session()
  const hash = await passwordHashOf(db, db.selectFrom('accounts').select('id').where('email', '=', email))
  if (!(await verifyPassword({ password, hash }))) return 'refused'
  const result = await inTransaction(db, async (trx) => {
    const accounts = trx.selectFrom('accounts').select(['id', 'emailVerified']).where('email', '=', email)
    const account = await accounts.executeTakeFirst()
    if (!account) return 'refused'
    await lockAccount(trx, account.id)
    // The password may have changed during its verification.
    if ((await passwordHashOf(trx, account.id)) !== hash) return 'refused'
    if (verifies && !account.emailVerified) return 'unverified'
    const token = await startSession(trx, auth, account.id)
    return token === null ? 'refused' : { token }
  })
  if (typeof result === 'string') return result
  await enterSession(auth, result.token, earlierSession)
  return 'signed in'
}

/** Returns the API token of a request with its visitor, or null if the token is invalid at present. */
async function readApiToken({ db }: AuthSettings, bearerToken: string | null) {
  const token = bearerToken === null ? null : await findApiToken(db, bearerToken)
  if (!token) return null
  const { id, scope, usedAt, ...account } = token
  const visitor = { ...account, ...(await readRoles(db, account.accountId)) }
  return mayUseApiTokens(visitor) ? { id, scope, usedAt, visitor } : null
}
