import { seesBackups } from '../permissions.ts'
import { clockKey, dbKey, lastBackupKey, type RequestContext, visitorKey } from '../request.ts'
import type { Backup } from './backup-age.tsx'
import { siteBegunAt } from './site.server.ts'

// A night, and the hours that a machine may have been off.
const OLD_AFTER_MS = 36 * 60 * 60 * 1000

const format = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' })

/** What administrators are told of the last good backup; null for everyone else. */
export async function backupAge(context: RequestContext): Promise<Backup | null> {
  if (!seesBackups(context.get(visitorKey))) return null
  const last = await context.get(lastBackupKey)()
  const since = last ?? (await siteBegunAt(context.get(dbKey)))
  return { madeAt: last === null ? null : format.format(last), old: context.get(clockKey)() - since > OLD_AFTER_MS }
}
