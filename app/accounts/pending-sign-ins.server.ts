import type { Db } from '../../db/tables.ts'
import { isWithinTtl } from '../platform/is-within-ttl.ts'

/** Stores a value that `usePending` returns once. `now` and `ttl` are in milliseconds. */
export async function storePending(
  db: Db,
  identifier: string,
  value: string,
  { now, ttl }: { now: number; ttl: number },
) {
  const timestamp = new Date(now).toISOString()
  await db.deleteFrom('verifications').where('expiresAt', '<=', timestamp).execute()
  const times = { createdAt: timestamp, updatedAt: timestamp, expiresAt: new Date(now + ttl).toISOString() }
  await db
    .insertInto('verifications')
    .values({ id: crypto.randomUUID(), identifier, value, ...times })
    .execute()
}

export async function findPending(db: Db, identifier: string) {
  const rows = db.selectFrom('verifications').select('value').where('identifier', '=', identifier)
  return (await rows.executeTakeFirst())?.value ?? null
}

/** Deletes the value and returns it, or null if the value has expired or is missing. */
export async function usePending(db: Db, identifier: string, now: number) {
  const deletedRow = await db
    .deleteFrom('verifications')
    .where('identifier', '=', identifier)
    .returning(['value', 'createdAt', 'expiresAt'])
    .executeTakeFirst()
  if (!deletedRow) return null
  const [createdAt, expiresAt] = [Date.parse(deletedRow.createdAt), Date.parse(deletedRow.expiresAt)]
  return isWithinTtl(createdAt, expiresAt - createdAt, now) ? deletedRow.value : null
}
