import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Author, RequestContext } from '../request.ts'
import { type AnyRecordType, newSave, type RecordRow, type RecordType, type Save } from './record.ts'
import { add, change, idOf, lockRow, remove, unlessDeleted } from './records.server.ts'
import { lastRevision, readRevision, readSave } from './revisions.server.ts'

type Trx = Transaction<Tables>

/** Callback for each record that an undo, revert or restore changes. */
type Follow = (trx: Trx, kind: AnyRecordType, before: RecordRow | null, after: RecordRow | null) => Promise<void>
const nothing: Follow = async () => {}

export function afterRevertIn(context: RequestContext): Follow {
  return async (trx, kind, before, after) => kind.afterRevert?.(context, trx, before, after)
}

/** Undoes a save. Returns the new save, or null if a record has changed since. Throws what `guard` throws. */
export function undoSave(
  db: Kysely<Tables>,
  kinds: readonly AnyRecordType[],
  saveId: string,
  author: Author,
  follow: Follow = nothing,
) {
  const save = newSave(author, 'take back')
  return inTransaction(db, async (trx) => {
    const changes = await readSave(trx, saveId)
    const records = Map.groupBy(changes, ({ subject, subjectId }) => `${subject} ${subjectId}`)
    for (const [, of] of [...records].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const [first, last] = [of[0], of.at(-1)]
      const kind = kinds.find(({ subject }) => subject === first?.subject)
      if (!first || !last || !kind) throw new ChangedSince()
      const row = await lockRow(trx, kind, first.subjectId)
      const version = row?.version ?? (await lastRevision(trx, kind.subject, first.subjectId))?.version
      if (version !== last.version) throw new ChangedSince()
      await becomes(trx, kind, row, first.before as RecordRow | null, save, follow)
    }
    return changes.length > 0 ? save.id : null
  }).catch((error) => {
    if (error instanceof ChangedSince) return null
    throw error
  })
}

class ChangedSince extends Error {}

/** Reverts a record, even a deleted one, to its state after a revision. Returns null if there is no such state. */
export function revert<Row extends RecordRow>(
  db: Kysely<Tables>,
  kind: RecordType<Row>,
  revisionId: string,
  author: Author,
  follow: Follow = nothing,
) {
  const save = newSave(author, 'put back')
  return inTransaction(db, async (trx) => {
    const revision = await readRevision(trx, revisionId)
    if (revision?.subject !== kind.subject || !revision.after) return null
    const row = await lockRow(trx, kind, revision.subjectId)
    const state = revision.after as Row
    const then = row && kind.columnsToRevert ? kind.columnsToRevert(row, state) : state
    if (!then) return null
    return becomes(trx, kind, row, { ...state, ...row, ...then }, save, follow)
  })
}

/** Restores a record from the bin. Returns null if the bin does not contain the record. */
export function restoreFromBin<Row extends RecordRow>(
  db: Kysely<Tables>,
  kind: RecordType<Row>,
  id: string,
  author: Author,
  follow: Follow = nothing,
) {
  const save = newSave(author, 'restore')
  return inTransaction(db, async (trx) => {
    const row = await lockRow(trx, kind, id)
    const last = await lastRevision(trx, kind.subject, id)
    if (unlessDeleted(row) || !last?.before || last.after) return null
    return becomes(trx, kind, row, last.before as Row, save, follow)
  })
}

// Returns the save and the row, or null if the row is gone.
async function becomes<Row extends RecordRow>(
  trx: Trx,
  kind: RecordType<Row>,
  now: Row | null,
  then: Row | null,
  save: Save,
  follow: Follow,
) {
  const fixed = now ? (kind.immutable ?? []).map((name) => [name, now[name]]) : []
  const shown = then && 'deletedAt' in then ? { deletedAt: null } : {}
  const after = then && { ...then, ...Object.fromEntries(fixed), ...shown, updatedAt: save.at }
  if (now && after) await change(trx, kind, now, after, save)
  else if (after) await add(trx, kind, after, save)
  else if (now) await remove(trx, kind, now, save)
  const row = await lockRow(trx, kind, idOf(kind, (then ?? now) as Row))
  await follow(trx, kind, unlessDeleted(now), unlessDeleted(row))
  return row && { save: save.id, row }
}
