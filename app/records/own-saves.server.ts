import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Outcome } from '../forms/outcome.ts'
import type { Author } from '../request.ts'
import { type AnyRecordType, newSave, type RecordRef, type RecordRow, type RecordType } from './record.ts'
import { lockPresent, remove } from './records.server.ts'
import { lastRevision, type Revision, revisionsOf } from './revisions.server.ts'

const MAX_REVISIONS = 100

/**
 * Returns the version that the editor has seen. The version is normally the form's version. If saves by the editor's
 * own tab directly follow the form's version, the result is the version after the last of these saves. A save by
 * another account never counts, whatever the browser sends. Version 0 means that the record does not exist.
 */
export async function advanceSeenVersion(
  db: Db,
  { subject }: Pick<AnyRecordType, 'subject'>,
  { id, version, own = [] }: RecordRef,
  { accountId }: Author,
): Promise<number> {
  if (own.length === 0 || accountId === null) return version
  const newestFirst = await revisionsOf(db, subject, id)
    .select(['version', 'saveId', 'accountId'])
    .select((eb) => [eb('before', 'is not', null).as('wasThere'), eb('after', 'is not', null).as('isThere')])
    .orderBy('version', 'desc')
    .limit(MAX_REVISIONS)
    .execute()
  const oldestIndex = newestFirst.findIndex((each) => (each.wasThere ? each.version - 1 : 0) === version)
  const laterRevisions = newestFirst.slice(0, oldestIndex + 1).reverse()
  let seen = version
  for (const each of laterRevisions) {
    if (each.accountId !== accountId || !own.includes(each.saveId)) break
    seen = each.isThere ? each.version : 0
  }
  return seen
}

export async function findOwnDeletion(
  db: Db,
  { subject }: Pick<AnyRecordType, 'subject'>,
  { id, own = [] }: RecordRef,
  { accountId }: Author,
): Promise<Revision | null> {
  if (own.length === 0 || accountId === null) return null
  const last = await lastRevision(db, subject, id)
  const isOwn = last?.after === null && last.accountId === accountId && own.includes(last.saveId)
  return isOwn ? last : null
}

/** Deletes a record if the editor has seen its current version. Returns the save ID. A conflict has the current row. */
export function removeSeen<Row extends RecordRow>(
  db: Db,
  recordType: RecordType<Row>,
  seen: RecordRef,
  author: Author,
) {
  const save = newSave(author, 'delete')
  return inTransaction(db, async (trx): Promise<Outcome<string, { row: Row }>> => {
    const row = await lockPresent(trx, recordType, seen.id)
    if (!row) return { error: 'missing' }
    if (row.version !== (await advanceSeenVersion(trx, recordType, seen, author))) return { error: 'conflict', row }
    await remove(trx, recordType, row, save)
    return { ok: save.id }
  })
}

/** Deletes a record like `removeSeen`. If the editor's own tab has already deleted the record, returns that save ID. */
export function removeOnce<Row extends RecordRow>(
  db: Db,
  recordType: RecordType<Row>,
  seen: RecordRef,
  author: Author,
) {
  return inTransaction(db, async (trx): Promise<Outcome<string>> => {
    const removed = await removeSeen(trx, recordType, seen, author)
    const ownDeletion = removed.error === 'missing' && (await findOwnDeletion(trx, recordType, seen, author))
    return ownDeletion ? { ok: ownDeletion.saveId } : removed
  })
}
