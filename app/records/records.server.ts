import type { Kysely, Transaction } from 'kysely'
import { lock } from '../../db/lock.ts'
import { anyTable } from '../../db/rows.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Author, RequestContext } from '../request.ts'
import { type AnyKind, type Kept, type Kind, newSave, type Save } from './record.ts'
import { keepRevision, lastRevision, readRevision, readSave } from './revisions.server.ts'

type Trx = Transaction<Tables>

/** The row of a record, in the bin too, else null; until this transaction ends nobody else changes it, or adds it. */
export async function lockRow<Row extends Kept>(trx: Trx, kind: Kind<Row>, id: string): Promise<Row | null> {
  if (id.includes('\0')) return null
  await lock(trx, `${kind.subject} ${id}`)
  const row = await anyTable(trx).selectFrom(kind.table).selectAll().where(kind.key, '=', id).executeTakeFirst()
  return (row as Row | undefined) ?? null
}

/** The row of a record that is there and not in the bin, locked, else null. */
export async function lockThere<Row extends Kept>(trx: Trx, kind: Kind<Row>, id: string) {
  return there(await lockRow(trx, kind, id))
}

/** Adds a record of which `lockRow` gave no row. Gives its row, with the version after any that it had before. */
export async function add<Row extends Kept>(
  trx: Trx,
  kind: Kind<Row>,
  given: Omit<Row, 'version' | 'updatedAt'> & Partial<Kept>,
  save: Save,
) {
  const last = await lastRevision(trx, kind.subject, idOf(kind, given as Row))
  const row = { updatedAt: save.at, ...given, version: (last?.version ?? 0) + 1 } as Row
  await kind.guard?.(trx, null, row, save)
  await anyTable(trx).insertInto(kind.table).values(row).execute()
  await keep(trx, kind, null, row, save)
  return row
}

/** Writes what is different over the row that `lockRow` gave. Gives the row as it is then. */
export async function change<Row extends Kept>(
  trx: Trx,
  kind: Kind<Row>,
  before: Row,
  changed: Partial<Row>,
  save: Save,
) {
  const after = { ...before, ...changed, version: before.version + 1, updatedAt: save.at }
  await kind.guard?.(trx, there(before), there(after), save)
  await anyTable(trx).updateTable(kind.table).set(after).where(kind.key, '=', idOf(kind, before)).execute()
  await keep(trx, kind, before, after, save)
  return after
}

/** Deletes the row that `lockRow` gave: it can be put back. */
export async function remove<Row extends Kept>(trx: Trx, kind: Kind<Row>, before: Row, save: Save) {
  if ('deletedAt' in before) return void (await change(trx, kind, before, { deletedAt: save.at } as Partial<Row>, save))
  await kind.guard?.(trx, before, null, save)
  await anyTable(trx).deleteFrom(kind.table).where(kind.key, '=', idOf(kind, before)).execute()
  await keep(trx, kind, before, null, save)
}

function keep<Row extends Kept>(trx: Trx, kind: Kind<Row>, was: Row | null, is: Row | null, save: Save) {
  const [before, after] = [there(was), there(is)]
  const shown = (is ?? was) as Row
  const version = is?.version ?? (was?.version ?? 0) + 1
  const { subject } = kind
  const of = { subject, subjectId: idOf(kind, shown), topic: kind.topicOf(shown), version }
  return keepRevision(trx, { ...of, before, after }, save)
}

function idOf<Row extends Kept>(kind: Kind<Row>, row: Row) {
  return String((row as Record<string, unknown>)[kind.key])
}

// What lies in the bin is not there.
function there<Row extends Kept>(row: Row | null) {
  return row?.deletedAt ? null : row
}

/** What a return did with one record: for what follows from it. */
export type Follow = (trx: Trx, kind: AnyKind, before: Kept | null, after: Kept | null) => Promise<void>
const nothing: Follow = async () => {}

/** What follows in the world of a request. */
export function followIn(context: RequestContext): Follow {
  return async (trx, kind, before, after) => kind.onReturn?.(context, trx, before, after)
}

/**
 * Takes a save back, whole, and gives the new save; null where one of its records was changed since, and nothing is done.
 * Throws what `guard` throws.
 */
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

/** Makes a record again what it was right after a revision of it, where it is deleted too; null where there is no such state. */
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
    const after = await becomes(trx, kind, row, { ...state, ...row, ...then }, save, follow)
    return after && { save: save.id, row: after }
  })
}

/** Takes a record out of the bin as it was; null where it is not there. */
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
    const after = await becomes(trx, kind, row, last.before as Row, save, follow)
    return after && { save: save.id, row: after }
  })
}

async function becomes<Row extends Kept>(
  trx: Trx,
  kind: Kind<Row>,
  now: Row | null,
  then: Row | null,
  save: Save,
  follow: Follow,
): Promise<Row | null> {
  const after = then && { ...then, ...('deletedAt' in then && { deletedAt: null }), updatedAt: save.at }
  if (now && after) await change(trx, kind, now, after, save)
  else if (after) await add(trx, kind, after, save)
  else if (now) await remove(trx, kind, now, save)
  const row = await lockRow(trx, kind, idOf(kind, (then ?? now) as Row))
  await follow(trx, kind, there(now), there(row))
  return row
}

/**
 * What two people have made of the same, one `mine`, the other `now`, both from `base` (null where that is not known):
 * `mixed` has what either changed, one's own where both did; `clashes` names those fields.
 */
export function merge<Fields extends object>(base: Partial<Fields> | null, now: Fields, mine: Partial<Fields>) {
  const same = (name: keyof Fields, a: Partial<Fields> | null, b: Partial<Fields>) =>
    a !== null && JSON.stringify(a[name]) === JSON.stringify(b[name])
  const names = Object.keys(mine) as (keyof Fields)[]
  const changed = names.filter((name) => !same(name, now, mine) && !same(name, base, mine))
  const changes = Object.fromEntries(changed.map((name) => [name, mine[name]])) as Partial<Fields>
  return { changes, mixed: { ...now, ...changes }, clashes: changed.filter((name) => !same(name, base, now)) }
}
