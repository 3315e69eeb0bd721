import type { Context } from 'hono'
import { withTimeout } from '../../app/platform/with-timeout.server.ts'
import { failureOf } from '../../db/failure.ts'
import type { Db } from '../../db/tables.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { HandlerDependencies, SiteDependencies } from './request-dependencies.ts'

const FAILURE_TTL_MS = 60_000
/** Timeouts of the database in milliseconds. A page that has a last version waits only until `fallback`. */
export const DATABASE_TIMEOUTS = { monitoring: 800, fallback: 150 }
const MIN_FREE_BYTES = 4 * 1024 ** 2
const statusCodes = { failing: 503, full: 507, unwritable: 507, ok: 200 } as const

/** Health check. Status 503: the database cannot be read. Status 507: the disk is full or not writable. */
export function handleHealth({ db, clock, space, health, databaseTimeouts }: HandlerDependencies) {
  return async (c: Context) => {
    const now = clock()
    const diskSpace = await space().catch(() => null)
    // The clock may have been set back since the failure.
    const isRecent = (at: number) => Math.abs(now - at) < FAILURE_TTL_MS
    const isFailing = !diskSpace || isRecent(health.failedAt) || (await isSilent(db, databaseTimeouts.monitoring))
    const isFull = (diskSpace?.free ?? 0) < MIN_FREE_BYTES
    const status = isFailing ? 'failing' : isFull ? 'full' : isRecent(health.unstoredAt) ? 'unwritable' : 'ok'
    // Pages compare the clock of their device with this date.
    const headers = { 'cache-control': 'no-store', date: new Date(now).toUTCString() }
    return c.json({ status, version: packageJson.version }, statusCodes[status], headers)
  }
}

/** Resolves with the result of `work`, or with the fallback if the database fails or does not respond. */
export async function withOutageFallback<T, U>(
  { db, databaseTimeouts }: Pick<SiteDependencies, 'db' | 'databaseTimeouts'>,
  work: Promise<T>,
  fallback: U,
): Promise<T | U> {
  const result = work.catch((error) => {
    if (failureOf(error)) return fallback
    throw error
  })
  const fallbackIfSilent = isSilent(db, databaseTimeouts.fallback).then((silent) => (silent ? fallback : result))
  return Promise.race([result, fallbackIfSilent])
}

async function isSilent(db: Db, ms: number) {
  const query = db.selectFrom('marks').select('name').limit(1).execute()
  const hasNoResponse = query.then(
    () => false,
    () => true,
  )
  return withTimeout(
    ms,
    () => hasNoResponse,
    () => true,
  )
}
