import { seesBackups } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { siteBegunAt } from '../settings/site.server.ts'
import type { BackupState } from './backup-state.tsx'
import { isTimeToLeave, readCopies } from './copies.server.ts'

// A night, plus the hours that a machine may have been off.
const OLD_AFTER_MS = 36 * 60 * 60 * 1000

const format = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' })
const inWords = (at: string | number) => format.format(new Date(at))

export async function backupState(context: RequestContext): Promise<BackupState | null> {
  if (!seesBackups(contextOf(context).visitor)) return null
  const now = contextOf(context).clock()
  const begunAt = await siteBegunAt(contextOf(context).db)
  const last = await contextOf(context).lastBackup()
  const { left, folder } = await readCopies(contextOf(context).db)
  return {
    night: { madeAt: last === null ? null : inWords(last), old: now - (last ?? begunAt) > OLD_AFTER_MS },
    left: left && { at: left.madeAt, inWords: inWords(left.madeAt), how: await howInWords(context, left) },
    reminds: isTimeToLeave(left, { begunAt, now }),
    folder: contextOf(context).hasCopyFolder
      ? { madeAt: folder?.madeAt ? inWords(folder.madeAt) : null, fails: Boolean(folder?.trouble) }
      : null,
  }
}

type Left = NonNullable<Awaited<ReturnType<typeof readCopies>>['left']>

async function howInWords(context: RequestContext, { way, accountId }: Left) {
  if (way === 'folder') return '二つ目の場所'
  if (way === 'hand') return 'サーバーで別のディスクに'
  const { namesOf } = contextOf(context).records
  const names = await namesOf(contextOf(context).db, contextOf(context).visitor, accountId ? [accountId] : [])
  const name = names.get(accountId ?? '')
  return name ? `${name} さんがダウンロード` : 'ダウンロード'
}
