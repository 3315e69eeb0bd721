import type { Context } from 'hono'
import type { Kysely } from 'kysely'
import type { Health } from '../../app/request.ts'
import type { Tables } from '../../db/tables.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { World } from './asking.ts'

const FAILING_FOR_MS = 60_000
const ANSWERS_WITHIN_MS = 800
/** If the database does not respond within this time, an older page is shown if there is one. */
export const SILENT_AFTER_MS = 150
const FULL_BELOW = 4 * 1024 ** 2

/** Returns 503 if the database cannot be read, and 507 if the disk is full or not writable. */
export function handleHealth({ db, clock, space }: World, health: Health) {
  return async (c: Context) => {
    const now = clock()
    const room = await space().catch(() => null)
    const failing = !room || now - health.failedAt < FAILING_FOR_MS || (await isSilent(db, ANSWERS_WITHIN_MS))
    const isFull = (room?.free ?? 0) < FULL_BELOW
    const isUnwritable = now - health.unstoredAt < FAILING_FOR_MS
    const [status, code] = failing
      ? ['failing', 503]
      : isFull
        ? ['full', 507]
        : isUnwritable
          ? ['unwritable', 507]
          : ['ok', 200]
    // Pages check the clock of their device against this date.
    const headers = { 'cache-control': 'no-store', date: new Date(now).toUTCString() }
    return c.json({ status, version: packageJson.version }, code as 200, headers)
  }
}

export async function isSilent(db: Kysely<Tables>, ms: number) {
  const question = db.selectFrom('marks').select('name').limit(1).execute()
  const answered = question.then(
    () => false,
    () => true,
  )
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>((resolve) => {
    // A response that arrived while this process was busy is read before the timeout counts.
    timer = setTimeout(() => setImmediate(() => setImmediate(resolve, true)), ms)
  })
  return Promise.race([answered, tooLate]).finally(() => clearTimeout(timer))
}
