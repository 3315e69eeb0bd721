import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { createContext, data, type RouterContextProvider } from 'react-router'
import { failureOf } from '../db/failure.ts'
import type { Tables } from '../db/tables.ts'
import type { Live } from './live/announce.server.ts'
import type { Visitor } from './permissions.ts'

/** The current instant, as milliseconds since 1970. */
export type Clock = () => number

export const dbKey = createContext<Kysely<Tables>>()
export const clockKey = createContext<Clock>()
export const logKey = createContext<Logger>()
export const healthKey = createContext<Health>()
export const visitorKey = createContext<Visitor>()
/** When the last good backup was made, in milliseconds since 1970; null where there is none. */
export const lastBackupKey = createContext<() => Promise<number | null>>()
/** Whether a second folder is to get each night's backup. */
export const hasCopyFolderKey = createContext<boolean>()
export const provenAddressesKey = createContext<ProvenAddresses>()
/** The address of the account that alone becomes the first administrator, where the operator named one. */
export const ownerEmailKey = createContext<string | undefined>()
/** What tells open pages of changes. */
export const liveKey = createContext<Live>()
/** The last change before this request was answered, as its visitor is told of it. */
export const lastChangeKey = createContext<string>()
/** The address under which this visitor reaches the site, `https://example.jp`. */
export const originKey = createContext<string>()
/** The origin of the links in mails, which no visitor chooses. */
export const mailOriginKey = createContext<string>()
/** What the identifiers that this site gives away end with. */
export const identityKey = createContext<string>()
/** What a page is rendered with: where it came from, what it may see, when it is. */
export type RequestContext = Readonly<RouterContextProvider>

/** Reads the verified e-mail addresses of accounts, by account ID; `within` is the transaction to read in, if there is one. */
export type ProvenAddresses = (accountIds: string[], within?: Kysely<Tables>) => Promise<Map<string, string>>

/** Who makes a change, and when (ISO 8601 in UTC); `accountId` is null when the site itself does it. */
export type Author = { accountId: string | null; at: string }

/** Who makes a change now. */
export function authorOf(context: RequestContext): Author {
  return {
    accountId: context.get(visitorKey)?.accountId ?? null,
    at: new Date(context.get(clockKey)()).toISOString(),
  }
}

/**
 * What the site knows of itself without asking: how often reading the database failed, and when last; when last a save could
 * not be stored. In milliseconds since 1970.
 */
export type Health = { failures: number; failedAt: number; unstoredAt: number }

/**
 * The rows that `read` gives, or `otherwise` where reading fails: the failure is logged, the visitor sees an emptier page.
 * Where the database cannot be asked at all, there is no page.
 */
export async function readOr<T>(
  context: RequestContext,
  otherwise: T,
  read: () => Promise<T>,
  { saying = 'data fetch error' }: { saying?: string } = {},
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    context.get(logKey).error({ err: error }, saying)
    if (failureOf(error)) throw data(null, 503)
    const health = context.get(healthKey)
    health.failures += 1
    health.failedAt = context.get(clockKey)()
    return otherwise
  }
}
