import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Author, RequestContext } from '../request.ts'
import { type AnyKind, type Kept, type Kind, newSave, type Save } from './record.ts'
import { add, change, idOf, lockRow, remove, there } from './records.server.ts'
import { lastRevision, readRevision, readSave } from './revisions.server.ts'

type Trx = Transaction<Tables>

/** Callback for each record that an undo, revert or restore changes. */
type Follow = (trx: Trx, kind: AnyKind, before: Kept | null, after: Kept | null) => Promise<void>
const nothing: Follow = async () => {}

export function followIn(context: RequestContext): Follow {
  return async (trx, kind, before, after) => kind.onReturn?.(context, trx, before, after)
}

/** Undoes a save. Returns the new save, or null if a record has changed since. Throws what `guard` throws. */
export function takeBack(
  db: Kysely<Tables>,
  kinds: readonly AnyKind[],
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
      await becomes(trx, kind, row, first.before as Kept | null, save, follow)
    }
    return changes.length > 0 ? save.id : null
  }).catch((error) => {
    if (error instanceof ChangedSince) return null
    throw error
  })
}

class ChangedSince extends Error {}

/** Reverts a record, even a deleted one, to its state after a revision. Returns null if there is no such state. */
export function putBack<Row extends Kept>(
  db: Kysely<Tables>,
  kind: Kind<Row>,
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
    const then = row && kind.keep ? kind.keep(row, state) : state
    if (!then) return null
    return becomes(trx, kind, row, { ...state, ...row, ...then }, save, follow)
  })
}

/** Restores a record from the bin. Returns null if the bin does not contain the record. */
export function restore<Row extends Kept>(
  db: Kysely<Tables>,
  kind: Kind<Row>,
  id: string,
  author: Author,
  follow: Follow = nothing,
) {
  const save = newSave(author, 'restore')
  return inTransaction(db, async (trx) => {
    const row = await lockRow(trx, kind, id)
    const last = await lastRevision(trx, kind.subject, id)
    if (there(row) || !last?.before || last.after) return null
    return becomes(trx, kind, row, last.before as Row, save, follow)
  })
}

// Returns the save and the row, or null if the row is gone.
async function becomes<Row extends Kept>(
  trx: Trx,
  kind: Kind<Row>,
  now: Row | null,
  then: Row | null,
  save: Save,
  follow: Follow,
) {
  const fixed = now ? (kind.fixed ?? []).map((name) => [name, now[name]]) : []
  const shown = then && 'deletedAt' in then ? { deletedAt: null } : {}
  const after = then && { ...then, ...Object.fromEntries(fixed), ...shown, updatedAt: save.at }
  if (now && after) await change(trx, kind, now, after, save)
  else if (after) await add(trx, kind, after, save)
  else if (now) await remove(trx, kind, now, save)
  const row = await lockRow(trx, kind, idOf(kind, (then ?? now) as Row))
  await follow(trx, kind, there(now), there(row))
  return row && { save: save.id, row }
}
