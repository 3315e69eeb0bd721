import type { BackupCopyRow, Db } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_COPY_AGE_MS = 31 * DAY_MS

type BackupCopy = { madeAt: number; accountId?: string | null }

/** Stores that a backup was copied off-site completely. `madeAt` is the creation time of the backup (ms since 1970). */
export async function noteCopy(db: Db, way: BackupCopyRow['way'], { madeAt, accountId = null }: BackupCopy) {
  await storeCopy(db, { way, madeAt: new Date(madeAt).toISOString(), accountId, trouble: null })
}

/**
 * Stores the error of a nightly copy to the second folder or to S3, or null after a success. Preserves the time of the
 * last copy.
 */
export async function noteCopyFailure(db: Db, way: 'folder' | 's3', trouble: string | null) {
  await storeCopy(db, { way, trouble })
}

async function storeCopy(db: Db, { way, ...columns }: Pick<BackupCopyRow, 'way'> & Partial<BackupCopyRow>) {
  await inTransaction(db, async (trx) => {
    await trx
      .insertInto('backupCopies')
      .values({ way, madeAt: null, accountId: null, trouble: null, ...columns })
      .onConflict((conflict) => conflict.column('way').doUpdateSet(columns))
      .execute()
    noteChange(trx, 'backups')
  })
}

/** Whether a time is not from a clock that was ahead, which must not end the backups, copies and reminders. */
export function isPlausible(at: number, now: number) {
  return at - now < DAY_MS
}

/** Returns the newest off-site backup, the last download, and the states of the second backup folder and of S3, or null. */
export async function readCopies(db: Db, now: number) {
  const rows = await db.selectFrom('backupCopies').selectAll().orderBy('madeAt', 'desc').execute()
  const [left] = rows.flatMap(({ madeAt, ...row }) =>
    madeAt !== null && isPlausible(Date.parse(madeAt), now) ? [{ ...row, madeAt }] : [],
  )
  const stateOf = (copyWay: BackupCopyRow['way']) => rows.find(({ way }) => way === copyWay) ?? null
  return { left: left ?? null, download: stateOf('download'), folder: stateOf('folder'), s3: stateOf('s3') }
}

/**
 * Whether the newest off-site backup is over 31 days old. If there is no off-site backup, the age of the site counts.
 */
export function isCopyOverdue(left: { madeAt: string } | null, { begunAt, now }: { begunAt: number; now: number }) {
  return now - (left ? Date.parse(left.madeAt) : begunAt) > MAX_COPY_AGE_MS
}
