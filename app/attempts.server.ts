import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

const MINUTE = 60_000

// How often, and in how many minutes: for one account, and for one network address (a family or a club shares one).
const limits = {
  signIn: { account: 10, address: 100, minutes: 15 },
  signUp: { account: 5, address: 60, minutes: 60 },
  mail: { account: 3, address: 30, minutes: 15 },
  password: { account: 10, address: 100, minutes: 15 },
  draft: { account: Number.POSITIVE_INFINITY, address: 60, minutes: 60 },
  google: { account: Number.POSITIVE_INFINITY, address: 100, minutes: 15 },
}
export type Attempt = keyof typeof limits

/** What a person reads who tried too often. */
export const tooManyTries = (minutes: number) =>
  `お試しの回数が多すぎます。${minutes}分ほどおいてから、もう一度お試しください`

/**
 * Counts one try of `kind` for the account (its address or id) and the network address. Null where it may go on, else
 * the minutes to wait. `now` in milliseconds since 1970.
 */
export async function countAttempt(
  db: Kysely<Tables>,
  kind: Attempt,
  { account, address, now }: { account?: string; address: string | null; now: number },
): Promise<number | null> {
  const limit = limits[kind]
  const counted = [
    ...(account ? [{ who: `account ${account.toLowerCase()}`, most: limit.account }] : []),
    ...(address ? [{ who: `address ${address}`, most: limit.address }] : []),
  ]
  let wait: number | null = null
  for (const { who, most } of counted) {
    const { count, until } = await countOne(db, keyOf(kind, who), now, limit.minutes)
    if (count > most) wait = Math.max(wait ?? 1, Math.ceil((Date.parse(until) - now) / MINUTE))
  }
  return wait
}

/** Forgets the tries for an account that has just proven itself. */
export async function forgetAttempts(db: Kysely<Tables>, kind: Attempt, account: string) {
  await db
    .deleteFrom('attempts')
    .where('key', '=', keyOf(kind, `account ${account.toLowerCase()}`))
    .execute()
}

async function countOne(db: Kysely<Tables>, key: string, now: number, minutes: number) {
  const at = new Date(now).toISOString()
  const until = new Date(now + minutes * MINUTE).toISOString()
  const row = await db
    .insertInto('attempts')
    .values({ key, count: 1, until })
    .onConflict((again) =>
      again.column('key').doUpdateSet({
        count: sql`case when attempts.until <= ${at} then 1 else attempts.count + 1 end`,
        until: sql`case when attempts.until <= ${at} then ${until} else attempts.until end`,
      }),
    )
    .returning(['count', 'until'])
    .executeTakeFirstOrThrow()
  if (row.count === 1) await db.deleteFrom('attempts').where('until', '<=', at).execute()
  return row
}

// Addresses of people do not lie around in a table of failures.
function keyOf(kind: Attempt, who: string) {
  return `${kind} ${createHash('sha256').update(who).digest('base64url')}`
}
