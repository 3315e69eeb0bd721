import type { Db } from '../db/tables.ts'
import { isTrustedProxy, parseIp } from './client-ip.ts'
import type { SiteDependencies } from './http/request-dependencies.ts'

const PREFIX = 'untrusted proxy '
const MIN_INTERVAL_MS = 24 * 60 * 60 * 1000

/**
 * Returns a function that stores the sender of a forwarded request if TRUSTED_PROXY does not contain the sender, at most
 * once a day. All visitors behind such a proxy share its rate limits, so `npm run doctor` reports the sender.
 */
export function createUntrustedProxyRecorder({
  db,
  clock,
  log,
  settings,
}: Pick<SiteDependencies, 'db' | 'clock' | 'log' | 'settings'>) {
  let storedAt = Number.NEGATIVE_INFINITY
  return ({ headers }: Request, senderIp: string | undefined) => {
    // The clock may have been set back since the last sender.
    if (Math.abs(clock() - storedAt) < MIN_INTERVAL_MS) return
    const ip = parseIp(senderIp)
    const isForwarded = headers.has('x-forwarded-for') || headers.has('forwarded')
    if (ip === null || !isForwarded || isTrustedProxy(ip, settings.trustedProxies)) return
    storedAt = clock()
    store(db, ip, storedAt).catch((err) => log.warn({ err }, 'untrusted proxy not stored'))
  }
}

async function store(db: Db, ip: string, now: number) {
  const at = new Date(now).toISOString()
  // `inTransaction` would invalidate the page cache.
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('marks').where('name', 'like', `${PREFIX}%`).execute()
    await trx
      .insertInto('marks')
      .values({ name: PREFIX + ip, at })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ at }))
      .execute()
  })
}

/** Returns the IP address of the last stored sender with the time in milliseconds since 1970, or null. */
export async function readUntrustedProxy(db: Db) {
  const stored = await db.selectFrom('marks').selectAll().where('name', 'like', `${PREFIX}%`).executeTakeFirst()
  return stored ? { ip: stored.name.slice(PREFIX.length), at: Date.parse(stored.at) } : null
}
