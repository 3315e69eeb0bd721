import type { BackupCopyRow } from '../../db/tables.ts'
import { formatDateAndTime } from '../dates/japan.ts'
import { seesBackups } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { siteCreatedAt } from '../settings/site.server.ts'
import { isCopyOverdue, readCopies } from './copies.server.ts'

// One day, plus twelve hours in which the machine may have been off.
const MAX_BACKUP_AGE_MS = 36 * 60 * 60 * 1000

/**
 * Returns null if the visitor may not see backups. `night` is the last verified nightly backup. `night.old` is true if
 * the next nightly backup is overdue. `left` is the newest off-site backup or null. `ownDownload` is the time of
 * the last download in ISO 8601, or '' if the last download was by another account. `folder` and `s3` are the states of
 * the nightly copies, or null if these copies are not configured. All other times are formatted for display.
 */
export async function backupState(context: RequestContext) {
  const { db, clock, visitor, auth, lastBackup, hasCopyFolder, hasCopyBucket } = contextOf(context)
  if (!seesBackups(visitor)) return null
  const now = clock()
  const createdAt = await siteCreatedAt(db)
  const last = await lastBackup()
  const { left, download, folder, s3 } = await readCopies(db, now)
  return {
    night: {
      madeAt: last === null ? null : formatDateAndTime(last),
      old: now - (last ?? createdAt) > MAX_BACKUP_AGE_MS,
    },
    left: left && { inWords: formatDateAndTime(left.madeAt), how: await describeCopy(context, left) },
    ownDownload: (download?.accountId === (await auth.session())?.accountId && download?.madeAt) || '',
    reminds: isCopyOverdue(left, { begunAt: createdAt, now }),
    folder: hasCopyFolder ? formatCopyState(folder) : null,
    s3: hasCopyBucket ? formatCopyState(s3) : null,
  }
}

function formatCopyState(copy: BackupCopyRow | null) {
  return { madeAt: copy?.madeAt ? formatDateAndTime(copy.madeAt) : null, fails: Boolean(copy?.trouble) }
}

type NewestCopy = NonNullable<Awaited<ReturnType<typeof readCopies>>['left']>

async function describeCopy(context: RequestContext, { way, accountId }: NewestCopy) {
  if (way === 'folder') return '二つ目の場所'
  if (way === 's3') return 'クラウドの保管先'
  if (way === 'hand') return 'サーバーで別のディスクに'
  const { db, visitor, records } = contextOf(context)
  const names = await records.namesOf(db, visitor, accountId ? [accountId] : [])
  const name = names.get(accountId ?? '')
  return name ? `${name} さんがダウンロード` : 'ダウンロード'
}
