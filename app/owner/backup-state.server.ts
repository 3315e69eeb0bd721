import { seesBackups } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { siteCreatedAt } from '../settings/site.server.ts'
import { isCopyOverdue, readCopies } from './copies.server.ts'

// One night, plus twelve hours in which the machine may have been off.
const MAX_BACKUP_AGE_MS = 36 * 60 * 60 * 1000

const dateFormat = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' })
const formatTime = (at: string | number) => dateFormat.format(new Date(at))

/**
 * Returns null without permission. `night` is the last verified nightly backup (`old` after a missing night),
 * `left` the newest outside this machine, `folder` the second folder or null. Times are formatted, except `left.at`.
 */
export async function backupState(context: RequestContext) {
  const { db, clock, visitor, lastBackup, hasCopyFolder } = contextOf(context)
  if (!seesBackups(visitor)) return null
  const now = clock()
  const createdAt = await siteCreatedAt(db)
  const last = await lastBackup()
  const { left, folder } = await readCopies(db)
  return {
    night: { madeAt: last === null ? null : formatTime(last), old: now - (last ?? createdAt) > MAX_BACKUP_AGE_MS },
    left: left && { at: left.madeAt, inWords: formatTime(left.madeAt), how: await describeCopy(context, left) },
    reminds: isCopyOverdue(left, { begunAt: createdAt, now }),
    folder: hasCopyFolder
      ? { madeAt: folder?.madeAt ? formatTime(folder.madeAt) : null, fails: Boolean(folder?.trouble) }
      : null,
  }
}

type NewestCopy = NonNullable<Awaited<ReturnType<typeof readCopies>>['left']>

async function describeCopy(context: RequestContext, { way, accountId }: NewestCopy) {
  if (way === 'folder') return '二つ目の場所'
  if (way === 'hand') return 'サーバーで別のディスクに'
  const { db, visitor, records } = contextOf(context)
  const names = await records.namesOf(db, visitor, accountId ? [accountId] : [])
  const name = names.get(accountId ?? '')
  return name ? `${name} さんがダウンロード` : 'ダウンロード'
}
