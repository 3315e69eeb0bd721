import type { Kysely } from 'kysely'
import type { BackupCopyRow, Tables } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'

const MONTH_MS = 31 * 24 * 60 * 60 * 1000

type Left = { madeAt: number; accountId?: string | null }

/** Keeps that a backup of the instant `madeAt`, in milliseconds since 1970, has left this machine whole. */
export async function noteLeft(db: Kysely<Tables>, way: BackupCopyRow['way'], { madeAt, accountId = null }: Left) {
  await note(db, { way, madeAt: new Date(madeAt).toISOString(), accountId, trouble: null })
}

/** Keeps why the second folder did not get what it should, in a sentence, or that nothing is wrong; when it last did stays. */
export async function noteTrouble(db: Kysely<Tables>, trouble: string | null) {
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

/** The newest backup that has left this machine, null where none is known of; and how the second folder is doing. */
export async function readCopies(db: Kysely<Tables>) {
  const rows = await db.selectFrom('backupCopies').selectAll().orderBy('madeAt', 'desc').execute()
  const [left] = rows.flatMap(({ madeAt, ...row }) => (madeAt === null ? [] : [{ ...row, madeAt }]))
  const folder = rows.find(({ way }) => way === 'folder')
  return { left: left ?? null, folder: folder ?? null }
}

/** Whether it is time for another to leave: the last is of more than a month ago, or since the site began there was none. */
export function isTimeToLeave(left: { madeAt: string } | null, { begunAt, now }: { begunAt: number; now: number }) {
  return now - (left ? Date.parse(left.madeAt) : begunAt) > MONTH_MS
}
