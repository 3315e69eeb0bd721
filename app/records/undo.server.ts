import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Author, RequestContext } from '../request.ts'
import { type AnyRecordType, newSave, type RecordRow, type RecordType, type Save } from './record.ts'
import { add, change, idOf, lockRow, remove, unlessDeleted } from './records.server.ts'
import { lastRevision, readRevision, readSave } from './revisions.server.ts'

/** Undoes a save. Returns null if a record has changed since. Rethrows the errors of a record type's `guard`. */
export function undoSave(
  db: Db,
  recordTypes: readonly AnyRecordType[],
  saveId: string,
  author: Author,
  context?: RequestContext,
) {
  const save = newSave(author, 'take back')
  return inTransaction(db, async (trx) => {
    const changes = await readSave(trx, saveId)
    const revisionsByRecord = Map.groupBy(changes, ({ subject, subjectId }) => `${subject} ${subjectId}`)
    for (const [, revisions] of [...revisionsByRecord].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const [first, last] = [revisions[0], revisions.at(-1)]
      const recordType = recordTypes.find(({ subject }) => subject === first?.subject)
      if (!first || !last || !recordType) throw new ChangedSince()
      const row = await lockRow(trx, recordType, first.subjectId)
      const version = row?.version ?? (await lastRevision(trx, recordType.subject, first.subjectId))?.version
      if (version !== last.version) throw new ChangedSince()
      await writeState(trx, recordType, row, first.before as RecordRow | null, save, context)
    }
    return changes.length > 0 ? save.id : null
  }).catch((error) => {
    if (error instanceof ChangedSince) return null
    throw error
  })
}

class ChangedSince extends Error {}

/** Reverts a record, even a deleted record. Returns null if the revert is impossible or denied. */
export function revert<Row extends RecordRow>(
  db: Db,
  recordType: RecordType<Row>,
  revisionId: string,
  author: Author,
  context?: RequestContext,
) {
  const save = newSave(author, 'put back')
  return inTransaction(db, async (trx) => {
    const revision = await readRevision(trx, revisionId)
    if (revision?.subject !== recordType.subject || !revision.after) return null
    const row = await lockRow(trx, recordType, revision.subjectId)
    const state = revision.after as Row
    const target = row && recordType.columnsToRevert ? recordType.columnsToRevert(row, state) : state
    if (!target) return null
    return writeState(trx, recordType, row, { ...state, ...row, ...target }, save, context)
  })
}

/** Restores a record from the bin. Returns null if the bin does not contain the record. */
export function restoreFromBin<Row extends RecordRow>(
  db: Db,
  recordType: RecordType<Row>,
  id: string,
  author: Author,
  context?: RequestContext,
) {
  const save = newSave(author, 'restore')
  return inTransaction(db, async (trx) => {
    const row = await lockRow(trx, recordType, id)
    const last = await lastRevision(trx, recordType.subject, id)
    if (unlessDeleted(row) || !last?.before || last.after) return null
    return writeState(trx, recordType, row, last.before as Row, save, context)
  })
}

// Writes a state of a record. Returns the save ID and the row, or null if the state is a deletion.
async function writeState<Row extends RecordRow>(
  trx: Trx,
  recordType: RecordType<Row>,
  current: Row | null,
  target: Row | null,
  save: Save,
  context: RequestContext | undefined,
) {
  const immutableColumns = current ? (recordType.immutable ?? []).map((name) => [name, current[name]]) : []
  const restoredColumns = target && 'deletedAt' in target ? { deletedAt: null } : {}
  const after = target && { ...target, ...Object.fromEntries(immutableColumns), ...restoredColumns, updatedAt: save.at }
  if (current && after) await change(trx, recordType, current, after, save)
  else if (after) await add(trx, recordType, after, save)
  else if (current) await remove(trx, recordType, current, save)
  const row = await lockRow(trx, recordType, idOf(recordType, (target ?? current) as Row))
  if (context) await recordType.afterRevert?.(context, trx, unlessDeleted(current), unlessDeleted(row))
  return row && { save: save.id, row }
}
