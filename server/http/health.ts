import type { Context } from 'hono'
import type { Kysely } from 'kysely'
import { withTimeout } from '../../app/platform/with-timeout.server.ts'
import type { Health } from '../../app/request.ts'
import type { Tables } from '../../db/tables.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { SiteDependencies } from './request-dependencies.ts'

const FAILING_FOR_MS = 60_000
const ANSWERS_WITHIN_MS = 800
const SILENT_AFTER_MS = 150
const FULL_BELOW = 4 * 1024 ** 2
const codes = { failing: 503, full: 507, unwritable: 507, ok: 200 } as const

/** Returns 503 if the database cannot be read, and 507 if the disk is full or not writable. */
export function handleHealth({ db, clock, space }: SiteDependencies, health: Health) {
  return async (c: Context) => {
    const now = clock()
    const room = await space().catch(() => null)
    const failing = !room || now - health.failedAt < FAILING_FOR_MS || (await isSilent(db, ANSWERS_WITHIN_MS))
    const isFull = (room?.free ?? 0) < FULL_BELOW
    const isUnwritable = now - health.unstoredAt < FAILING_FOR_MS
    const status = failing ? 'failing' : isFull ? 'full' : isUnwritable ? 'unwritable' : 'ok'
    // Pages check the clock of their device against this date.
    const headers = { 'cache-control': 'no-store', date: new Date(now).toUTCString() }
    return c.json({ status, version: packageJson.version }, codes[status], headers)
  }
}

/** Resolves with the fallback if the database does not respond before the work is done. */
export async function unlessSilent<T, U>(db: Kysely<Tables>, work: Promise<T>, otherwise: U): Promise<T | U> {
  const late = isSilent(db, SILENT_AFTER_MS).then<T | U>((silent) => (silent ? otherwise : work))
  return Promise.race([work, late])
}

async function isSilent(db: Kysely<Tables>, ms: number) {
  const question = db.selectFrom('marks').select('name').limit(1).execute()
  const answered = question.then(
    () => false,
    () => true,
  )
  return withTimeout(
    ms,
    () => answered,
    () => true,
  )
}
