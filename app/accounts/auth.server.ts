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
  /** Whether an address must be proven by mail before its password opens anything. */
  verifies: boolean
  /** Is told when an account that existed can from now on be opened by Google too. */
  onGoogleAdded: (email: string, origin: string) => Promise<void>
  /** Is told when a session of this account has ended because someone else signed in in its browser. */
  onSessionEnded: (accountId: string) => void
}

/** Who has signed in on this device, and when, in milliseconds since 1970. */
export type Session = {
  id: string
  accountId: string
  name: string
  email: string
  emailVerified: boolean
  begunAt: number
}

/** What the accounts can do for one request; the cookies that this sets leave with its answer. */
export type Auth = ReturnType<ReturnType<typeof createAuth>>

const DAY = 24 * 60 * 60
const DEVICE_DAYS = 365

/** However busy it is, a session ends then, in milliseconds after it began. */
export const SESSION_LASTS_AT_MOST = 90 * DAY * 1000

type Asked = {
  settings: AuthSettings
  betterAuths: ReturnType<typeof createBetterAuths>
  request: Request
  origin: string
  /** Those of the request that are believed. */
  headers: Headers
  /** What leaves with the answer. */
  cookies: string[]
  session: () => Promise<Session | null>
}

/** Gives, for each request, what the accounts can do for it. */
export function createAuth(settings: AuthSettings) {
  const betterAuths = createBetterAuths(settings)

  /** `address` is the visitor's network address, null where it is not known. */
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

      /** Who is signed in; read once for a request. */
      session,

      /**
       * A name for this browser where this address is signed in on it, or was with the password of today; null elsewhere:
       * what strangers try does not keep the person out.
       */
      knownDevice: async (email: string) => {
        const now = await session()
        return now?.email === email ? now.id : knownDevice(settings, marksOf(asked), email)
      },

      /** Has this browser remember that the account is at home on it: whose session it has, or who chose the password. */
      rememberDevice: (who: Pick<Session, 'accountId'> & { id?: string }) => rememberDevice(asked, who),

      /** What shows for five minutes that the session has just proven itself for this purpose. */
      permit: (purpose: string, session: Session, proof: Proof) => makePermit(settings, purpose, session, proof),

      /** Whether that is shown by who is signed in. */
      isPermitted: async (purpose: string, permit: string) => {
        const now = await session()
        return now !== null && isPermit(settings, purpose, now, permit)
      },

      /** Signs in by password: refused alike for an unknown address and a wrong password, unverified only after a right one. */
      signIn: (email: string, password: string) => signIn(asked, email, password, betterAuths.at(origin)),

      /** The same for who has just shown otherwise whose account it is: the address need not be proven yet. */
      signInUnproven: (email: string, password: string) =>
        signIn(asked, email, password, betterAuths.withoutProof(origin)),

      /** Ends the session on the server and in this browser; nothing happens where there is none. */
      signOut: () => signOut(asked),

      /**
       * Returns the URL of the sign-in page at Google; null if Google cannot be reached. A person without an account gets
       * one only with `registers`.
       */
      startGoogle: (cameBack: string, given: { registers: boolean }) => startGoogle(asked, cameBack, given),

      /** Answers the requests under /api/auth: only the way back from Google has an address of its own. */
      handle: () => comeBackFromGoogle(asked),
    }
  }
}

// Runs one call of Better Auth and keeps the cookies it sets.
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
    // It asks the database more of a used address than of any other: so it is asked once the password is right.
    const body = { email, password: proof ?? '' }
    const { token, user } = await call(asked, (api, sent) => api.signInEmail({ body, ...sent }), auth)
    // While the password was looked at, it may have become another one.
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

// A browser has one session: the one before would live on, and nobody could see where.
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
  // Not Response.redirect: its headers cannot be changed, and every answer gets more of them.
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

// Better Auth reads the visitor's address from a header: from one that the visitor cannot send.
function believedHeaders(request: Request, address: string | null) {
  const headers = new Headers()
  for (const name of ['cookie', 'user-agent']) {
    const value = request.headers.get(name)
    if (value) headers.set(name, value)
  }
  if (address) headers.set(ADDRESS_HEADER, address)
  return headers
}
