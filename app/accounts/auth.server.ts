import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import {
  ADDRESS_HEADER,
  type BetterAuth,
  cookiePrefix,
  createBetterAuths,
  isRefusal,
  throwingDatabaseErrors,
} from './better-auth.server.ts'
import { knownDevice, markDevice } from './known-device.server.ts'
import type { PasswordPolicy } from './password.ts'
import { verifyPassword } from './password-hash.server.ts'
import { isPermit, makePermit } from './permit.server.ts'
import { lockAccount, type Proof, passwordHashOf } from './proof.server.ts'

export type AuthSettings = {
  db: Kysely<Tables>
  clock: () => number
  log: Logger
  /** Signs the cookies. */
  secret: string
  passwords: PasswordPolicy
  google: { clientId: string; clientSecret: string; discoveryUrl: string } | null
  verifies: boolean
  onGoogleAdded: (email: string, origin: string) => Promise<void>
  /** Called when a new sign-in in the same browser has ended this account's session. */
  onSessionEnded: (accountId: string) => void
}

/** `begunAt` is in milliseconds since 1970. */
export type Session = {
  id: string
  accountId: string
  name: string
  email: string
  emailVerified: boolean
  begunAt: number
}

/** Account operations of one request. Add `cookies` to its response. */
export type Auth = ReturnType<ReturnType<typeof createAuth>>

const DAY = 24 * 60 * 60
const DEVICE_DAYS = 365

/** Maximum age of a session in milliseconds, however active. */
export const SESSION_LASTS_AT_MOST = 90 * DAY * 1000

type Asked = {
  settings: AuthSettings
  betterAuths: ReturnType<typeof createBetterAuths>
  request: Request
  origin: string
  /** Trusted headers only. */
  headers: Headers
  cookies: string[]
  session: () => Promise<Session | null>
}

export function createAuth(settings: AuthSettings) {
  const betterAuths = createBetterAuths(settings)

  /** `address` is the visitor's IP address, null if unknown. */
  return ({ request, origin, address }: { request: Request; origin: string; address: string | null }) => {
    const cookies: string[] = []
    const headers = believedHeaders(request, address)
    let read: Promise<Session | null> | undefined
    const session = () => {
      read ??= readSession(asked)
      return read
    }
    const asked: Asked = { settings, betterAuths, request, origin, headers, cookies, session }

    return {
      cookies,
      address,
      passwords: settings.passwords,
      verifies: settings.verifies,
      hasGoogle: settings.google !== null,

      session,

      /**
       * Returns a name of this browser if the account is signed in here or has been with its current password, else
       * null. Rate limits use the name, so that strangers' attempts do not lock the owner out.
       */
      knownDevice: async (email: string) => {
        const now = await session()
        return now?.email === email ? now.id : knownDevice(settings, marksOf(asked), email)
      },

      /** Sets the known device cookie. `id` is missing if the visitor has just reset the password. */
      rememberDevice: (who: Pick<Session, 'accountId'> & { id?: string }) => rememberDevice(asked, who),

      /** Returns a token, valid for five minutes, that proves reauthentication of the session for this purpose. */
      permit: (purpose: string, session: Session, proof: Proof) => makePermit(settings, purpose, session, proof),

      isPermitted: async (purpose: string, permit: string) => {
        const now = await session()
        return now !== null && isPermit(settings, purpose, now, permit)
      },

      /** Returns 'refused' also for an unknown e-mail, and 'unverified' only for the right password. */
      signIn: (email: string, password: string) => signIn(asked, email, password, betterAuths.at(origin)),

      /** Like `signIn`, but accepts an unverified e-mail: the visitor has proven their identity otherwise. */
      signInUnproven: (email: string, password: string) =>
        signIn(asked, email, password, betterAuths.withoutProof(origin)),

      signOut: () => signOut(asked),

      /** Returns Google's sign-in URL; null if Google cannot be reached. Only `registers` creates new accounts. */
      startGoogle: (cameBack: string, given: { registers: boolean }) => startGoogle(asked, cameBack, given),

      /** Handles Google's callback, the only endpoint under /api/auth. Returns null for all other requests. */
      handle: () => comeBackFromGoogle(asked),
    }
  }
}

async function call<T>(
  { betterAuths, origin, headers, cookies }: Asked,
  work: (
    api: BetterAuth['api'],
    sent: { headers: Headers; returnHeaders: true },
  ) => Promise<{ headers: Headers; response: T }>,
  auth: BetterAuth | Promise<BetterAuth> = betterAuths.at(origin),
) {
  const { api } = await auth
  const sent = { headers, returnHeaders: true } as const
  const { headers: answered, response } = await throwingDatabaseErrors(() => work(api, sent))
  cookies.push(...answered.getSetCookie())
  return response
}

async function readSession(asked: Asked): Promise<Session | null> {
  const { settings, origin, headers } = asked
  if (!headers.get('cookie')?.includes(`${cookiePrefix(origin)}.session_token=`)) return null
  const found = await call(asked, (api, sent) => api.getSession(sent))
  if (!found) return null
  const begunAt = new Date(found.session.createdAt).getTime()
  if (settings.clock() - begunAt > SESSION_LASTS_AT_MOST) {
    await signOut(asked)
    return null
  }
  const { id, name, email, emailVerified } = found.user
  return { id: found.session.id, accountId: id, name, email, emailVerified, begunAt }
}

async function signIn(asked: Asked, email: string, password: string, auth: Promise<BetterAuth>) {
  const { cookies, settings } = asked
  const { db } = settings
  const earlier = await asked.session()
  const proof = await passwordHashOf(db, db.selectFrom('accounts').select('id').where('email', '=', email))
  if (!(await verifyPassword({ password, hash: proof }))) return 'refused'
  const setBefore = cookies.length
  try {
    // Better Auth runs more queries for a used e-mail, so call it only if the password is right.
    const body = { email, password: proof ?? '' }
    const { token, user } = await call(asked, (api, sent) => api.signInEmail({ body, ...sent }), auth)
    // The password may have changed during its verification.
    const holds = await inTransaction(db, async (trx) => {
      await lockAccount(trx, user.id)
      if (proof !== null && (await passwordHashOf(trx, user.id)) === proof) return true
      await trx.deleteFrom('sessions').where('token', '=', token).execute()
      return false
    })
    if (holds) await endEarlier(settings, earlier)
    else cookies.length = setBefore
    return holds ? 'signed in' : 'refused'
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.statusCode === 403 ? 'unverified' : 'refused'
  }
}

async function signOut(asked: Asked) {
  await call(asked, (api, sent) => api.signOut(sent))
}

// A browser has one session: a previous session would stay valid without being visible anywhere.
async function endEarlier({ db, onSessionEnded }: AuthSettings, earlier: Session | null) {
  if (!earlier) return
  const own = db.deleteFrom('sessions').where('id', '=', earlier.id)
  if (await own.returning('id').executeTakeFirst()) onSessionEnded(earlier.accountId)
}

async function startGoogle(asked: Asked, cameBack: string, { registers }: { registers: boolean }) {
  const google = await asked.betterAuths.withGoogle(asked.origin)
  if (!google) return null
  const ways = { callbackURL: cameBack, errorCallbackURL: cameBack, disableRedirect: true }
  const body = { provider: 'google', ...ways, requestSignUp: registers }
  const { url } = await call(asked, (api, sent) => api.signInSocial({ body, ...sent }), google)
  return url ?? null
}

async function comeBackFromGoogle({ settings, betterAuths, request, origin, headers, session }: Asked) {
  const { pathname, search } = new URL(request.url)
  if (request.method !== 'GET' || pathname !== '/api/auth/callback/google') return null
  const google = await betterAuths.withGoogle(origin)
  // Not Response.redirect(): its headers are immutable, but the server adds headers to every response.
  if (!google) return new Response(null, { status: 302, headers: { location: `${origin}/login?problem=unreachable` } })
  const earlier = await session()
  const back = new Request(`${origin}${pathname}${search}`, { headers })
  const answer = await throwingDatabaseErrors(() => google.handler(back))
  const signedIn = new RegExp(`^${cookiePrefix(origin)}\\.session_token=[^;]`)
  if (answer.headers.getSetCookie().some((cookie) => signedIn.test(cookie))) await endEarlier(settings, earlier)
  return answer
}

async function rememberDevice(asked: Asked, { accountId, id }: Pick<Session, 'accountId'> & { id?: string }) {
  const kept = await markDevice(asked.settings, marksOf(asked), { accountId, id })
  if (!kept) return
  const secure = asked.origin.startsWith('https:') ? '; Secure' : ''
  const lasting = `Max-Age=${DEVICE_DAYS * DAY}; Path=/; HttpOnly; SameSite=Lax${secure}`
  asked.cookies.push(`${deviceCookie(asked.origin)}=${kept}; ${lasting}`)
}

function marksOf({ origin, headers }: Asked) {
  return new RegExp(`(?:^|; )${deviceCookie(origin)}=([^;]*)`).exec(headers.get('cookie') ?? '')?.[1] ?? ''
}

function deviceCookie(origin: string) {
  return `${cookiePrefix(origin)}.device`
}

// Better Auth reads the IP address from a header, so visitors must not be able to send that header.
function believedHeaders(request: Request, address: string | null) {
  const headers = new Headers()
  for (const name of ['cookie', 'user-agent']) {
    const value = request.headers.get(name)
    if (value) headers.set(name, value)
  }
  if (address) headers.set(ADDRESS_HEADER, address)
  return headers
}
