import { setTimeout } from 'node:timers/promises'
import type { BetterAuthOptions } from 'better-auth'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { createContext } from 'react-router'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { knownDevice, markDevice } from './known-device.server.ts'
import { isKept } from './mailed-links.server.ts'
import type { PasswordPolicy } from './password.ts'
import { hashPassword, verifyPassword } from './password-hash.server.ts'
import { lockAccount, passwordHashOf } from './proof.server.ts'

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

/** Who has signed in on this device. */
export type Session = { id: string; accountId: string; name: string; email: string; emailVerified: boolean }

/** What the accounts can do for one request; the cookies that this sets leave with its answer. */
export type Auth = ReturnType<ReturnType<typeof createAuth>>

/** What the accounts can do for this request. */
export const authKey = createContext<Auth>()

const DAY = 24 * 60 * 60
const IDLE_DAYS = 30
const DEVICE_DAYS = 365
const MOST_MADE = 20
const GOOGLE_ANSWERS_IN = 10_000

/** However busy it is, a session ends then, in milliseconds after it began. */
export const SESSION_LASTS_AT_MOST = 90 * DAY * 1000

/** Better Auth, and the only place that knows it: gives, for each request, what the accounts can do for it. */
export function createAuth(settings: AuthSettings) {
  const made = new Map<string, Promise<BetterAuth>>()

  // One for each address of the site: without PUBLIC_ORIGIN it has as many as the machine has names. Google's addresses
  // are read when it is made, so that Google has one of its own: nobody who is signed in waits for Google.
  const betterAuthAt = (origin: string, google: AuthSettings['google'] = null) => {
    const key = `${google ? 'google ' : ''}${origin}`
    const known = made.get(key)
    if (known) return known
    if (made.size >= MOST_MADE) made.clear()
    const fresh = makeBetterAuth({ ...settings, google }, origin)
    made.set(key, fresh)
    return fresh
  }

  const googleAt = async (origin: string) => {
    const auth = await betterAuthAt(origin, settings.google)
    const ready = await Promise.race([auth.$context, setTimeout(GOOGLE_ANSWERS_IN, null, { ref: false })])
    if (ready?.socialProviders.some(({ id }) => id === 'google')) return auth
    made.delete(`google ${origin}`) // to be asked again the next time
    return null
  }

  /** `address` is the visitor's network address, null where it is not known. */
  return ({ request, origin, address }: { request: Request; origin: string; address: string | null }) => {
    const cookies: string[] = []
    const headers = believedHeaders(request, address)
    let session: Promise<Session | null> | undefined

    // Runs one call of Better Auth and keeps the cookies it sets.
    async function call<T>(
      work: (auth: BetterAuth) => Promise<{ headers: Headers; response: T }>,
      auth: BetterAuth | Promise<BetterAuth> = betterAuthAt(origin),
    ) {
      const { headers: answered, response } = await work(await auth)
      cookies.push(...answered.getSetCookie())
      return response
    }

    async function readSession(): Promise<Session | null> {
      if (!headers.get('cookie')?.includes(`${cookiePrefix(origin)}.session_token=`)) return null
      const found = await call(({ api }) => api.getSession({ headers, returnHeaders: true }))
      if (!found) return null
      if (settings.clock() - new Date(found.session.createdAt).getTime() > SESSION_LASTS_AT_MOST) {
        await signOut()
        return null
      }
      const { id, name, email, emailVerified } = found.user
      return { id: found.session.id, accountId: id, name, email, emailVerified }
    }

    const currentSession = () => {
      session ??= readSession()
      return session
    }

    async function signOut() {
      await call(({ api }) => api.signOut({ headers, returnHeaders: true }))
    }

    // A browser has one session: the one before would live on, and nobody could see where.
    async function endEarlier(earlier: Session | null) {
      if (!earlier) return
      const own = settings.db.deleteFrom('sessions').where('id', '=', earlier.id)
      if (await own.returning('id').executeTakeFirst()) settings.onSessionEnded(earlier.accountId)
    }

    const deviceCookie = `${cookiePrefix(origin)}.device`
    const marks = () => new RegExp(`(?:^|; )${deviceCookie}=([^;]*)`).exec(headers.get('cookie') ?? '')?.[1] ?? ''

    return {
      cookies,
      address,
      passwords: settings.passwords,
      verifies: settings.verifies,
      hasGoogle: settings.google !== null,

      /** Who is signed in; read once for a request. */
      session: currentSession,

      /**
       * A name for this browser where this address is signed in on it, or was with the password of today; null elsewhere:
       * what strangers try does not keep the person out.
       */
      knownDevice: async (email: string) => {
        const now = await currentSession()
        return now?.email === email ? now.id : knownDevice(settings, marks(), email)
      },

      /** Has this browser remember that the account is at home on it: whose session it has, or who chose the password. */
      rememberDevice: async ({ accountId, id }: Pick<Session, 'accountId'> & { id?: string }) => {
        const kept = await markDevice(settings, marks(), { accountId, id })
        if (!kept) return
        const secure = origin.startsWith('https:') ? '; Secure' : ''
        cookies.push(`${deviceCookie}=${kept}; Max-Age=${DEVICE_DAYS * DAY}; Path=/; HttpOnly; SameSite=Lax${secure}`)
      },

      /** Signs in by password: refused alike for an unknown address and a wrong password, unverified only after a right one. */
      signIn: async (email: string, password: string): Promise<'signed in' | 'refused' | 'unverified'> => {
        const earlier = await currentSession()
        const account = settings.db.selectFrom('accounts').select('id').where('email', '=', email)
        const proof = await passwordHashOf(settings.db, account)
        const setBefore = cookies.length
        try {
          const { token, user } = await call(({ api }) =>
            api.signInEmail({ body: { email, password }, headers, returnHeaders: true }),
          )
          // While the password was looked at, it may have become another one.
          const holds = await inTransaction(settings.db, async (trx) => {
            await lockAccount(trx, user.id)
            if (proof !== null && (await passwordHashOf(trx, user.id)) === proof) return true
            await trx.deleteFrom('sessions').where('token', '=', token).execute()
            return false
          })
          if (holds) await endEarlier(earlier)
          else cookies.length = setBefore
          return holds ? 'signed in' : 'refused'
        } catch (error) {
          if (!isRefusal(error)) throw error
          return error.statusCode === 403 ? 'unverified' : 'refused'
        }
      },

      /** Ends the session on the server and in this browser; nothing happens where there is none. */
      signOut,

      /** Where to send the browser so that the person signs in at Google; null where Google cannot be reached. */
      startGoogle: async (cameBack: string): Promise<string | null> => {
        const google = await googleAt(origin)
        if (!google) return null
        const body = { provider: 'google', callbackURL: cameBack, errorCallbackURL: cameBack, disableRedirect: true }
        const { url } = await call(({ api }) => api.signInSocial({ body, headers, returnHeaders: true }), google)
        return url ?? null
      },

      /** Answers the requests under /api/auth: only the way back from Google has an address of its own. */
      handle: async (): Promise<Response | null> => {
        const { pathname, search } = new URL(request.url)
        if (request.method !== 'GET' || pathname !== '/api/auth/callback/google') return null
        const google = await googleAt(origin)
        if (!google) return Response.redirect(`${origin}/login?problem=unreachable`)
        const earlier = await currentSession()
        const answer = await google.handler(new Request(`${origin}${pathname}${search}`, { headers }))
        const signedIn = new RegExp(`^${cookiePrefix(origin)}\\.session_token=[^;]`)
        if (answer.headers.getSetCookie().some((cookie) => signedIn.test(cookie))) await endEarlier(earlier)
        return answer
      },
    }
  }
}

type BetterAuth = Awaited<ReturnType<typeof makeBetterAuth>>

// Loaded when the first person signs in or comes back: a site that only guests visit does without its 50 MB.
async function makeBetterAuth(settings: AuthSettings, origin: string) {
  const { betterAuth } = await import('better-auth')
  return betterAuth(await betterAuthOptions(settings, origin))
}

// An answer of Better Auth that refuses, rather than a fault of its own.
function isRefusal(error: unknown): error is Error & { statusCode: number } {
  const statusCode = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return statusCode < 500
}

/** How Better Auth is set up for one address of the site. */
export async function betterAuthOptions(
  { db, clock, log, secret, google, verifies, onGoogleAdded }: AuthSettings,
  origin: string,
) {
  const { genericOAuth } = await import('better-auth/plugins/generic-oauth')
  return {
    baseURL: origin,
    secret,
    trustedOrigins: [origin],
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_, message) => log.error({ message }, 'accounts') },
    onAPIError: { errorURL: `${origin}/login/finished` },
    // Our own limits count before it is asked, per account and per address.
    rateLimit: { enabled: false },

    // Told that it is SQLite on both engines: then times are ISO text and booleans 0 and 1, as everywhere here.
    database: { db, type: 'sqlite' },
    advanced: {
      database: { generateId: () => crypto.randomUUID(), validateSchema: false },
      // Its own prefix is __Secure-; __Host- is stricter and set by hand.
      useSecureCookies: false,
      cookiePrefix: cookiePrefix(origin),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: origin.startsWith('https:') },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
    },
    user: { modelName: 'accounts' },
    session: {
      modelName: 'sessions',
      fields: { userId: 'accountId' },
      expiresIn: IDLE_DAYS * DAY,
      updateAge: DAY,
      cookieCache: { enabled: false },
    },
    account: {
      modelName: 'signInMethods',
      // No column may bear another field's name: what is joined would be looked up in that one.
      fields: { accountId: 'subject', providerId: 'provider', userId: 'owner' },
      updateAccountOnSignIn: false,
      // Joined only where both sides have proven the address.
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: true },
    },
    verification: { modelName: 'verifications' },
    databaseHooks: {
      user: {
        create: {
          before: async ({ email }) => {
            if (await isKept(db, email, { now: clock() })) return false
          },
        },
      },
      account: {
        create: {
          // Who it is was all that we asked Google for.
          before: async (method) => ({ data: { ...method, accessToken: null, refreshToken: null, idToken: null } }),
          after: async ({ providerId, userId }) => {
            if (providerId !== 'google') return
            const methods = await db.selectFrom('signInMethods').select('id').where('owner', '=', userId).execute()
            if (methods.length < 2) return
            const account = db.selectFrom('accounts').select('email').where('id', '=', userId)
            await onGoogleAdded((await account.executeTakeFirstOrThrow()).email, origin)
          },
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true, // ours is one transaction
      requireEmailVerification: verifies,
      // The policy is ours; these only keep out what no policy allows.
      minPasswordLength: 1,
      maxPasswordLength: 1000,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    // Not its built-in Google, whose addresses are fixed: the tests bring a provider of their own.
    plugins: google
      ? [
          genericOAuth({
            config: [
              { providerId: 'google', ...google, scopes: ['openid', 'email', 'profile'], prompt: 'select_account' },
            ],
          }),
        ]
      : [],
  } satisfies BetterAuthOptions
}

const ADDRESS_HEADER = 'x-visitor-address'

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

function cookiePrefix(origin: string) {
  return origin.startsWith('https:') ? '__Host-noren' : 'noren'
}
