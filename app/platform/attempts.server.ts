import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { isPostgres } from '../../db/engine.ts'
import type { Db } from '../../db/tables.ts'
import { networkOf } from './network.ts'

const MINUTE_MS = 60_000
// Two servers may have different clocks, and a clock may be set back. A later end of a counter is from a wrong clock.
const MAX_CLOCK_ERROR_MS = 60 * MINUTE_MS

// Maximum attempts within `minutes`: per account, for all known devices of an account, per network and for the site.
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
  passkey: { network: 300, minutes: 15 },
  message: { network: 5, minutes: 60 },
  mailedMessage: { site: 60, minutes: 60 },
  heldMessage: { network: 10, site: 500, minutes: 24 * 60 },
  tableRequest: { account: 10, network: 10, minutes: 60 },
  tableChange: { account: 10, minutes: 60 },
  circleMessage: { account: 20, minutes: 60 },
  upload: { account: 200, minutes: 60 },
  font: { network: 10, minutes: 1 },
  metrics: { network: 10, minutes: 1 },
} satisfies Record<string, Limit>
export type Attempt = keyof typeof limits

export const tooManyAttempts = (minutes: number) =>
  `お試しの回数が多すぎます。${minutes}分ほどおいてから、もう一度お試しください。`

/** `account` is an e-mail address or the ID of an account or request, `address` an IP address. A known `device` has its own counter. */
type AttemptSource = { account?: string | null; device?: string | null; address?: string | null }
type TimedSource = AttemptSource & { now: number }

/**
 * Counts an attempt. A rollback of the transaction discards the count. Returns the minutes to wait, or null if no wait
 * is needed. `now` is in milliseconds since 1970.
 */
export async function countAttempt(db: Db, kind: Attempt, { now, ...source }: TimedSource): Promise<number | null> {
  let wait: number | null = null
  let hasNewCounter = false
  for (const { key, max } of countersOf(kind, source)) {
    const { count, until } = await incrementCounter(db, key, now, limits[kind].minutes)
    if (count > max) wait = Math.max(wait ?? 1, minutesUntil(until, now))
    if (count === 1) hasNewCounter = true
  }
  if (hasNewCounter) await deleteExpired(db, now)
  return wait
}

/** Returns the minutes that another attempt would have to wait, or null. Counts nothing. */
export async function readWait(db: Db, kind: Attempt, { now, ...source }: TimedSource): Promise<number | null> {
  const maxima = new Map(countersOf(kind, source).map(({ key, max }) => [key, max]))
  const counters = await db
    .selectFrom('attempts')
    .selectAll()
    .where('key', 'in', [...maxima.keys()])
    .where(isCurrent(now, limits[kind].minutes))
    .execute()
  const waits = counters.flatMap(({ key, count, until }) =>
    count >= (maxima.get(key) ?? 0) ? [minutesUntil(until, now)] : [],
  )
  return waits.length > 0 ? Math.max(...waits) : null
}

const minutesUntil = (until: string, now: number) => Math.ceil((Date.parse(until) - now) / MINUTE_MS)

// The order of the counters is fixed, because concurrent transactions would otherwise deadlock.
function countersOf(kind: Attempt, source: AttemptSource) {
  const limit: Limit = limits[kind]
  const { account, device, address = null } = source
  const counters = [
    { name: ownCounterName(source), max: limit.account },
    { name: device && `devices of ${account?.toLowerCase()}`, max: limit.devices },
    { name: !device && `network ${networkOf(address)}`, max: limit.network },
    { name: 'site', max: limit.site },
  ]
  return counters.flatMap(({ name, max }) => (name && max ? [{ key: keyOf(kind, name), max }] : []))
}

export async function clearAttempts(db: Db, kind: Attempt, source: AttemptSource) {
  await db
    .deleteFrom('attempts')
    .where('key', '=', keyOf(kind, ownCounterName(source) ?? ''))
    .execute()
}

function ownCounterName({ account, device }: AttemptSource) {
  if (device) return `device ${device}`
  return account ? `account ${account.toLowerCase()}` : null
}

async function incrementCounter(db: Db, key: string, now: number, minutes: number) {
  const isCounting = isCurrent(now, minutes)
  const until = new Date(now + minutes * MINUTE_MS).toISOString()
  return db
    .insertInto('attempts')
    .values({ key, count: 1, until })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`case when ${isCounting} then attempts.count + 1 else 1 end`,
        until: sql`case when ${isCounting} then attempts.until else ${until} end`,
      }),
    )
    .returning(['count', 'until'])
    .executeTakeFirstOrThrow()
}

function isCurrent(now: number, minutes: number) {
  const latest = new Date(now + minutes * MINUTE_MS + MAX_CLOCK_ERROR_MS).toISOString()
  return sql<boolean>`(attempts.until > ${new Date(now).toISOString()} and attempts.until <= ${latest})`
}

async function deleteExpired(db: Db, now: number) {
  const expired = db.selectFrom('attempts').select('key').where('until', '<=', new Date(now).toISOString())
  const unlocked = isPostgres(db) ? expired.forUpdate().skipLocked() : expired
  await db.deleteFrom('attempts').where('key', 'in', unlocked).execute()
}

// The counter name is hashed, so that the table contains no e-mail address or IP address.
function keyOf(kind: Attempt, counterName: string) {
  return `${kind} ${createHash('sha256').update(counterName).digest('base64url')}`
}
