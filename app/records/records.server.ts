import type { Transaction } from 'kysely'
import { anyTable, lock } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import type { Kept, Kind, Save } from './record.ts'
import { keepRevision, lastRevision } from './revisions.server.ts'

type Trx = Transaction<Tables>

/** Locks a record or an unused ID until the transaction ends. Returns the row, even from the bin, else null. */
export async function lockRow<Row extends Kept>(trx: Trx, kind: Kind<Row>, id: string): Promise<Row | null> {
  await lock(trx, `${kind.subject} ${id}`)
  const row = await anyTable(trx).selectFrom(kind.table).selectAll().where(kind.key, '=', id).executeTakeFirst()
  return (row as Row | undefined) ?? null
}

/** Locks a record and returns its row; null if missing or in the bin. */
export async function lockThere<Row extends Kept>(trx: Trx, kind: Kind<Row>, id: string) {
  return there(await lockRow(trx, kind, id))
}

/** Inserts a record after `lockRow` returned null. The version continues after that of a deleted record. */
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

/** Updates a locked row and returns the new row. `updatedAt` defaults to the save's time. */
export async function change<Row extends Kept>(
  trx: Trx,
  kind: Kind<Row>,
  before: Row,
  changed: Partial<Row>,
  save: Save,
) {
  const after = { ...before, updatedAt: save.at, ...changed, version: before.version + 1 }
  await kind.guard?.(trx, there(before), there(after), save)
  await anyTable(trx).updateTable(kind.table).set(after).where(kind.key, '=', idOf(kind, before)).execute()
  await keep(trx, kind, before, after, save)
  return after
}

/** Deletes a locked row; a row with `deletedAt` is soft-deleted. */
export async function remove<Row extends Kept>(trx: Trx, kind: Kind<Row>, before: Row, save: Save) {
  if ('deletedAt' in before) return void (await change(trx, kind, before, { deletedAt: save.at } as Partial<Row>, save))
  await kind.guard?.(trx, before, null, save)
  await anyTable(trx).deleteFrom(kind.table).where(kind.key, '=', idOf(kind, before)).execute()
  await keep(trx, kind, before, null, save)
}

function keep<Row extends Kept>(trx: Trx, kind: Kind<Row>, was: Row | null, is: Row | null, save: Save) {
  const shown = (is ?? was) as Row
  const version = is?.version ?? (was?.version ?? 0) + 1
  const of = { subject: kind.subject, subjectId: idOf(kind, shown), topic: kind.topicOf(shown), version }
  return keepRevision(trx, { ...of, before: there(was), after: there(is) }, save)
}

export function idOf<Row extends Kept>(kind: Kind<Row>, row: Row) {
  return String((row as Record<string, unknown>)[kind.key])
}

/** Returns null if the row is in the bin. */
export function there<Row extends Kept>(row: Row | null) {
  return row?.deletedAt ? null : row
}
