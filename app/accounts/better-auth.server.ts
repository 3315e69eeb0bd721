import { AsyncLocalStorage } from 'node:async_hooks'
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth'
import { failureOf } from '../../db/failure.ts'
import type { AuthSettings } from './auth.server.ts'
import { isKept } from './mailed-links.server.ts'
import { createOpenId } from './openid.server.ts'
import { hashPassword } from './password-hash.server.ts'

export type BetterAuth = Awaited<ReturnType<typeof makeBetterAuth>>

const DAY = 24 * 60 * 60
const IDLE_DAYS = 30
const MOST_MADE = 20

/** The header in which Better Auth reads the visitor's address. */
export const ADDRESS_HEADER = 'x-visitor-address'

/** What the names of our cookies begin with: over HTTPS no other site of the domain can set them. */
export function cookiePrefix(origin: string) {
  return origin.startsWith('https:') ? '__Host-noren' : 'noren'
}

type BetterAuthSettings = Omit<AuthSettings, 'google'> & { google: BetterAuthPlugin | null }

/** Better Auth for each address of the site: without PUBLIC_ORIGIN it has as many as the machine has names. */
export function createBetterAuths(settings: AuthSettings) {
  const made = new Map<string, Promise<BetterAuth>>()
  const openId = settings.google && createOpenId(settings.google, settings)

  const at = (origin: string, { google = null, verifies = settings.verifies }: Partial<BetterAuthSettings> = {}) => {
    const key = `${google ? 'google ' : ''}${verifies ? 'verifies ' : ''}${origin}`
    const known = made.get(key)
    if (known) return known
    if (made.size >= MOST_MADE) made.clear()
    const fresh = makeBetterAuth({ ...settings, google, verifies }, origin)
    made.set(key, fresh)
    return fresh
  }

  /** Null if Google cannot be reached. */
  const withGoogle = async (origin: string) => {
    const google = await openId?.()
    return google ? at(origin, { google }) : null
  }

  return { at, withGoogle, withoutProof: (origin: string) => at(origin, { verifies: false }) }
}

// Loaded when the first person signs in or comes back: a site that only guests visit does without its 50 MB.
async function makeBetterAuth(settings: BetterAuthSettings, origin: string) {
  const { betterAuth } = await import('better-auth')
  return betterAuth(await betterAuthOptions(settings, origin))
}

/** Whether Better Auth has refused, rather than had a fault of its own. */
export function isRefusal(error: unknown): error is Error & { statusCode: number } {
  const statusCode = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return statusCode < 500
}

const calls = new AsyncLocalStorage<{ error?: unknown }>()

/** Runs a call of Better Auth. Throws the first database error in it, which Better Auth logs and then hides or ignores. */
export async function throwingDatabaseErrors<T>(work: () => Promise<T>): Promise<T> {
  const call: { error?: unknown } = {}
  const done = await calls.run(call, work).catch((error) => {
    throw call.error ?? error
  })
  if (call.error) throw call.error
  return done
}

/** How Better Auth is set up for one address of the site. */
export async function betterAuthOptions(
  { db, clock, log, secret, google, verifies, onGoogleAdded }: BetterAuthSettings,
  origin: string,
) {
  return {
    baseURL: origin,
    secret,
    trustedOrigins: [origin],
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      log: (_, message, ...details) => {
        const call = calls.getStore()
        if (call) call.error ??= details.find((detail) => failureOf(detail))
        log.error({ message }, 'accounts')
      },
    },
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
    databaseHooks: databaseHooks({ db, clock, onGoogleAdded }, origin),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true, // ours is one transaction
      requireEmailVerification: verifies,
      // The policy is ours; these only keep out what no policy allows.
      minPasswordLength: 1,
      maxPasswordLength: 1000,
      // `signIn` has verified the password, and gives the hash that it found.
      password: { hash: hashPassword, verify: async ({ password, hash }) => password === hash },
    },
    // Not its built-in Google, whose addresses are fixed: the tests bring a provider of their own.
    plugins: google ? [google] : [],
  } satisfies BetterAuthOptions
}

function databaseHooks(
  { db, clock, onGoogleAdded }: Pick<AuthSettings, 'db' | 'clock' | 'onGoogleAdded'>,
  origin: string,
) {
  return {
    user: {
      create: {
        before: async ({ email }) => {
          if (await isKept(db, email, { now: clock() })) return false
        },
      },
    },
    session: {
      create: {
        before: async ({ userId }) => {
          const account = db.selectFrom('accounts').select('id').where('id', '=', userId)
          if (!(await account.where('deletedAt', 'is', null).executeTakeFirst())) return false
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
  } satisfies BetterAuthOptions['databaseHooks']
}
