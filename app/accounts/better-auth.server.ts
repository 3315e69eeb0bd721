import { AsyncLocalStorage } from 'node:async_hooks'
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth'
import { LRUCache } from 'lru-cache'
import { failureOf } from '../../db/failure.ts'
import type { AuthSettings } from './auth.server.ts'
import { isKept } from './mailed-links.server.ts'
import { createOpenId } from './openid.server.ts'
import { hashPassword } from './password-hash.server.ts'

export type BetterAuth = Awaited<ReturnType<typeof makeBetterAuth>>

const DAY = 24 * 60 * 60
const IDLE_DAYS = 30
const MAX_MADE = 20

export const ADDRESS_HEADER = 'x-visitor-address'

/** Returns the prefix of cookie names. With `__Host-`, no other site of the domain can set the cookies. */
export function cookiePrefix(origin: string) {
  return origin.startsWith('https:') ? '__Host-noren' : 'noren'
}

type BetterAuthSettings = Omit<AuthSettings, 'google'> & { google: BetterAuthPlugin | null }

/** Creates one Better Auth per origin: without PUBLIC_ORIGIN, the site has an origin for each name of the host. */
export function createBetterAuths(settings: AuthSettings) {
  const made = new LRUCache<string, Promise<BetterAuth>>({ max: MAX_MADE })
  const openId = settings.google && createOpenId(settings.google, settings)

  const at = (origin: string, { google = null, verifies = settings.verifies }: Partial<BetterAuthSettings> = {}) => {
    const key = `${google ? 'google ' : ''}${verifies ? 'verifies ' : ''}${origin}`
    const known = made.get(key)
    if (known) return known
    const fresh = makeBetterAuth({ ...settings, google, verifies }, origin)
    made.set(key, fresh)
    return fresh
  }

  const withGoogle = async (origin: string) => {
    const google = await openId?.()
    return google ? at(origin, { google }) : null
  }

  return { at, withGoogle, withoutProof: (origin: string) => at(origin, { verifies: false }) }
}

// Loaded at the first sign-in or session cookie, which saves 50 MB on a site with guests only.
async function makeBetterAuth(settings: BetterAuthSettings, origin: string) {
  const { betterAuth } = await import('better-auth')
  return betterAuth(await betterAuthOptions(settings, origin))
}

/** Whether Better Auth rejected the request, rather than failed itself. */
export function isRefusal(error: unknown): error is Error & { statusCode: number } {
  const statusCode = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return statusCode < 500
}

const calls = new AsyncLocalStorage<{ error?: unknown }>()

/** Runs a call of Better Auth. Throws the first database error, which Better Auth logs and then hides or ignores. */
export async function throwingDatabaseErrors<T>(work: () => Promise<T>): Promise<T> {
  const call: { error?: unknown } = {}
  const done = await calls.run(call, work).catch((error) => {
    throw call.error ?? error
  })
  if (call.error) throw call.error
  return done
}

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
    // Our own rate limits run first, per account and per IP address.
    rateLimit: { enabled: false },

    // SQLite on both engines, so that times are ISO text and booleans are 0 and 1, as in all other tables.
    // Better Auth converts 0 and 1 by itself.
    database: { db: db.withoutPlugins(), type: 'sqlite' },
    advanced: {
      database: { generateId: () => crypto.randomUUID(), validateSchema: false },
      // Better Auth would add `__Secure-`; `cookiePrefix` sets `__Host-`, which is stricter.
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
      // No column may have the name of another field, because a join would read that field's column.
      fields: { accountId: 'subject', providerId: 'provider', userId: 'owner' },
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: true },
    },
    verification: { modelName: 'verifications' },
    databaseHooks: databaseHooks({ db, clock, onGoogleAdded }, origin),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true, // `signUp` uses one transaction
      requireEmailVerification: verifies,
      // `PasswordPolicy` decides; these limits only reject what no policy allows.
      minPasswordLength: 1,
      maxPasswordLength: 1000,
      // `signIn` has verified the password and passes the stored hash.
      password: { hash: hashPassword, verify: async ({ password, hash }) => password === hash },
    },
    // Not the built-in Google provider, whose URLs are fixed: tests use their own provider.
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
        // Only the identity is needed from Google, so its tokens are not stored.
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
