import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { isPostgres } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import { networkOf } from './network.ts'

const MINUTE = 60_000

// Maximum attempts within `minutes`: per account, for all its known devices, per network and for the whole site.
type Limit = { account?: number; devices?: number; network?: number; site?: number; minutes: number }
const limits = {
  signIn: { account: 10, devices: 12, network: 100, minutes: 15 },
  signUp: { account: 5, network: 60, minutes: 60 },
  mail: { account: 3, network: 30, minutes: 15 },
  newAddress: { account: 3, network: 30, minutes: 15 },
  mailbox: { account: 5, minutes: 15 },
  password: { account: 10, network: 100, minutes: 15 },
  draft: { network: 60, minutes: 60 },
  google: { network: 100, minutes: 15 },
  message: { network: 5, minutes: 60 },
  mailedMessage: { site: 60, minutes: 60 },
  heldMessage: { network: 10, site: 500, minutes: 24 * 60 },
  upload: { account: 200, minutes: 60 },
  font: { network: 10, minutes: 1 },
} satisfies Record<string, Limit>
export type Attempt = keyof typeof limits

export const tooManyAttempts = (minutes: number) =>
  `お試しの回数が多すぎます。${minutes}分ほどおいてから、もう一度お試しください。`

/** `account` is an e-mail or account ID, `address` an IP address. A known `device` has a counter of its own. */
type Who = { account?: string | null; device?: string | null; address?: string | null }

/** Counts an attempt unless the transaction rolls back. Returns the minutes to wait or null. `now` is in ms since 1970. */
export async function countAttempt(
  db: Kysely<Tables>,
  kind: Attempt,
  { now, ...who }: Who & { now: number },
): Promise<number | null> {
  const limit: Limit = limits[kind]
  // The order is fixed, because concurrent transactions would otherwise deadlock.
  const own = ownName(who)
  const counted = [
    ...(own && limit.account ? [{ who: own, most: limit.account }] : []),
    ...(who.device && limit.devices ? [{ who: `devices of ${who.account?.toLowerCase()}`, most: limit.devices }] : []),
    ...(limit.network && !who.device
      ? [{ who: `network ${networkOf(who.address ?? null)}`, most: limit.network }]
      : []),
    ...(limit.site ? [{ who: 'site', most: limit.site }] : []),
  ]
  let wait: number | null = null
  let begins = false
  for (const { who, most } of counted) {
    const { count, until } = await countOne(db, keyOf(kind, who), now, limit.minutes)
    if (count > most) wait = Math.max(wait ?? 1, Math.ceil((Date.parse(until) - now) / MINUTE))
    if (count === 1) begins = true
  }
  if (begins) await forgetEnded(db, now)
  return wait
}

/** Resets the counter of an account, or of its device, after a successful attempt. */
export async function clearAttempts(db: Kysely<Tables>, kind: Attempt, who: Who) {
  await db
    .deleteFrom('attempts')
    .where('key', '=', keyOf(kind, ownName(who) ?? ''))
    .execute()
}

function ownName({ account, device }: Who) {
  if (device) return `device ${device}`
  return account ? `account ${account.toLowerCase()}` : null
}

async function countOne(db: Kysely<Tables>, key: string, now: number, minutes: number) {
  const at = new Date(now).toISOString()
  const until = new Date(now + minutes * MINUTE).toISOString()
  return db
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
}

async function forgetEnded(db: Kysely<Tables>, now: number) {
  const ended = db.selectFrom('attempts').select('key').where('until', '<=', new Date(now).toISOString())
  const free = isPostgres(db) ? ended.forUpdate().skipLocked() : ended
  await db.deleteFrom('attempts').where('key', 'in', free).execute()
}

// Hashed, so that the table contains no e-mail or IP address.
function keyOf(kind: Attempt, who: string) {
  return `${kind} ${createHash('sha256').update(who).digest('base64url')}`
}
