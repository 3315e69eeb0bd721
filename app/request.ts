import type { Logger } from 'pino'
import { createContext, data, RouterContextProvider } from 'react-router'
import { failureOf } from '../db/failure.ts'
import type { Db } from '../db/tables.ts'
import type { Auth } from './accounts/auth.server.ts'
import type { Live } from './live/live.server.ts'
import type { Mailer } from './mail/mailer.server.ts'
import type { Visitor } from './permissions.ts'
import type { RecordDependencies } from './records/record.ts'
import type { Space } from './settings/disk-space.ts'

/** Returns the current time in milliseconds since 1970. */
export type Clock = () => number

export type Dependencies = {
  db: Db
  clock: Clock
  log: Logger
  health: Health
  visitor: Visitor
  auth: Auth
  mailer: Mailer
  records: RecordDependencies
  live: Live
  /** Returns the time of the last backup in milliseconds since 1970, or null if there is no backup. */
  lastBackup: () => Promise<number | null>
  hasCopyFolder: boolean
  hasCopyBucket: boolean
  readVerifiedEmails: ReadVerifiedEmails
  /** Key of the signatures in the links of members. */
  secret: string
  /** Key in base64url with which browsers subscribe to push notifications. */
  pushPublicKey: string
  /** Origins at which browsers may have their endpoints. See `isPushService`. */
  pushServices: readonly string[]
  /** The e-mail address of the only account that can become the first administrator. Undefined if any account can. */
  ownerEmail: string | undefined
  lastChange: string
  origin: string
  /** The origin of links in e-mails. Visitors cannot choose this origin. */
  mailOrigin: string
  /** The suffix of the UIDs in this site's calendar feed. */
  identity: string
  space: () => Promise<Space>
  /** The version of this program. */
  version: string
  newerRelease: () => Release | null
}

export type RequestContext = Readonly<RouterContextProvider>

const dependencies = createContext<Dependencies>()

export function createRequestContext(values: Dependencies) {
  const context = new RouterContextProvider()
  context.set(dependencies, values)
  return context
}

export function contextOf(context: RequestContext) {
  return context.get(dependencies)
}

/** A published version of this program. `notes` is the URL of its release notes. */
export type Release = { version: string; notes: string }

export type ReadVerifiedEmails = (accountIds: string[], within?: Db) => Promise<Map<string, string>>

/** The author and the time (ISO 8601 in UTC) of a change. `accountId` is null if the site itself makes the change. */
export type Author = { accountId: string | null; at: string }

export function authorOf(context: RequestContext): Author {
  return {
    accountId: contextOf(context).visitor?.accountId ?? null,
    at: new Date(contextOf(context).clock()).toISOString(),
  }
}

/** Number of failed reads, and the times of the last failed read and save, in milliseconds since 1970. */
export type Health = { failures: number; failedAt: number; unstoredAt: number }

/**
 * Returns the result of `read`. If `read` fails, logs the error and returns `fallback`. Throws a 503 if the database is
 * unavailable.
 */
export async function readOr<T>(
  context: RequestContext,
  fallback: T,
  read: () => Promise<T>,
  { saying = 'data fetch error' }: { saying?: string } = {},
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    contextOf(context).log.error({ err: error }, saying)
    if (failureOf(error)) throw data(null, 503)
    const { health, clock } = contextOf(context)
    health.failures += 1
    health.failedAt = clock()
    return fallback
  }
}
