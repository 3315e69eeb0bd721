import type { Kysely } from 'kysely'
import type { BackupCopyRow, Tables } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'

const MONTH_MS = 31 * 24 * 60 * 60 * 1000

type Left = { madeAt: number; accountId?: string | null }

/** Records that a complete backup made at `madeAt` (milliseconds since 1970) has left this machine. */
export async function noteCopy(db: Kysely<Tables>, way: BackupCopyRow['way'], { madeAt, accountId = null }: Left) {
  await note(db, { way, madeAt: new Date(madeAt).toISOString(), accountId, trouble: null })
}

/** Records why the copy to the second folder failed, or null after success; the time of the last copy stays. */
export async function noteCopyFailure(db: Kysely<Tables>, trouble: string | null) {
  await note(db, { way: 'folder', trouble })
}

async function note(db: Kysely<Tables>, { way, ...known }: Pick<BackupCopyRow, 'way'> & Partial<BackupCopyRow>) {
  await inTransaction(db, async (trx) => {
    await trx
      .insertInto('backupCopies')
      .values({ way, madeAt: null, accountId: null, trouble: null, ...known })
      .onConflict((already) => already.column('way').doUpdateSet(known))
      .execute()
    noteChange(trx, 'backups')
  })
}

/** Returns the newest backup that has left this machine, or null, and the state of the second folder. */
export async function readCopies(db: Kysely<Tables>) {
  const rows = await db.selectFrom('backupCopies').selectAll().orderBy('madeAt', 'desc').execute()
  const [left] = rows.flatMap(({ madeAt, ...row }) => (madeAt === null ? [] : [{ ...row, madeAt }]))
  const folder = rows.find(({ way }) => way === 'folder')
  return { left: left ?? null, folder: folder ?? null }
}

/** Whether the newest backup off this machine, or the start of the site if there is none, is over 31 days old. */
export function isCopyOverdue(left: { madeAt: string } | null, { begunAt, now }: { begunAt: number; now: number }) {
  return now - (left ? Date.parse(left.madeAt) : begunAt) > MONTH_MS
}
