import type { Kysely } from 'kysely'
import type { BackupCopyRow, Tables } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'

const MAX_COPY_AGE_MS = 31 * 24 * 60 * 60 * 1000

type BackupCopy = { madeAt: number; accountId?: string | null }

/** Stores that a backup created at `madeAt` (milliseconds since 1970) was completely copied off this machine. */
export async function noteCopy(
  db: Kysely<Tables>,
  way: BackupCopyRow['way'],
  { madeAt, accountId = null }: BackupCopy,
) {
  await storeCopy(db, { way, madeAt: new Date(madeAt).toISOString(), accountId, trouble: null })
}

/** Stores the error of a copy to the second folder, or null after a success. The time of the last copy stays. */
export async function noteCopyFailure(db: Kysely<Tables>, trouble: string | null) {
  await storeCopy(db, { way: 'folder', trouble })
}

async function storeCopy(db: Kysely<Tables>, { way, ...columns }: Pick<BackupCopyRow, 'way'> & Partial<BackupCopyRow>) {
  await inTransaction(db, async (trx) => {
    await trx
      .insertInto('backupCopies')
      .values({ way, madeAt: null, accountId: null, trouble: null, ...columns })
      .onConflict((conflict) => conflict.column('way').doUpdateSet(columns))
      .execute()
    noteChange(trx, 'backups')
  })
}

/** Returns the newest backup outside this machine, and the state of the second folder; both may be null. */
export async function readCopies(db: Kysely<Tables>) {
  const rows = await db.selectFrom('backupCopies').selectAll().orderBy('madeAt', 'desc').execute()
  const [left] = rows.flatMap(({ madeAt, ...row }) => (madeAt === null ? [] : [{ ...row, madeAt }]))
  const folder = rows.find(({ way }) => way === 'folder')
  return { left: left ?? null, folder: folder ?? null }
}

/** Whether the newest backup outside this machine is over 31 days old. Without one, the age of the site counts. */
export function isCopyOverdue(left: { madeAt: string } | null, { begunAt, now }: { begunAt: number; now: number }) {
  return now - (left ? Date.parse(left.madeAt) : begunAt) > MAX_COPY_AGE_MS
}
