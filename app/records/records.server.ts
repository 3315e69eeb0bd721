import type { Transaction } from 'kysely'
import { lock, untypedTables } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import type { RecordRow, RecordType, Save } from './record.ts'
import { addRevision, lastRevision } from './revisions.server.ts'

type Trx = Transaction<Tables>

/** Locks a record or an unused ID until the transaction ends. Returns the row, even from the bin, else null. */
export async function lockRow<Row extends RecordRow>(trx: Trx, kind: RecordType<Row>, id: string): Promise<Row | null> {
  await lock(trx, `${kind.subject} ${id}`)
  const row = await untypedTables(trx).selectFrom(kind.table).selectAll().where(kind.key, '=', id).executeTakeFirst()
  return (row as Row | undefined) ?? null
}

/** Locks a record and returns its row; null if missing or in the bin. */
export async function lockPresent<Row extends RecordRow>(trx: Trx, kind: RecordType<Row>, id: string) {
  return unlessDeleted(await lockRow(trx, kind, id))
}

/** Inserts a record after `lockRow` returned null. The version continues after that of a deleted record. */
export async function add<Row extends RecordRow>(
  trx: Trx,
  kind: RecordType<Row>,
  given: Omit<Row, 'version' | 'updatedAt'> & Partial<RecordRow>,
  save: Save,
) {
  const last = await lastRevision(trx, kind.subject, idOf(kind, given as Row))
  const row = { updatedAt: save.at, ...given, version: (last?.version ?? 0) + 1 } as Row
  await kind.guard?.(trx, null, row, save)
  await untypedTables(trx).insertInto(kind.table).values(row).execute()
  await keep(trx, kind, null, row, save)
  return row
}

/** Updates a locked row and returns the new row. `updatedAt` defaults to the save's time. */
export async function change<Row extends RecordRow>(
  trx: Trx,
  kind: RecordType<Row>,
  before: Row,
  changed: Partial<Row>,
  save: Save,
) {
  const after = { ...before, updatedAt: save.at, ...changed, version: before.version + 1 }
  await kind.guard?.(trx, unlessDeleted(before), unlessDeleted(after), save)
  await untypedTables(trx).updateTable(kind.table).set(after).where(kind.key, '=', idOf(kind, before)).execute()
  await keep(trx, kind, before, after, save)
  return after
}

/** Deletes a locked row; a row with `deletedAt` is soft-deleted. */
export async function remove<Row extends RecordRow>(trx: Trx, kind: RecordType<Row>, before: Row, save: Save) {
  if ('deletedAt' in before) return void (await change(trx, kind, before, { deletedAt: save.at } as Partial<Row>, save))
  await kind.guard?.(trx, before, null, save)
  await untypedTables(trx).deleteFrom(kind.table).where(kind.key, '=', idOf(kind, before)).execute()
  await keep(trx, kind, before, null, save)
}

function keep<Row extends RecordRow>(trx: Trx, kind: RecordType<Row>, was: Row | null, is: Row | null, save: Save) {
  const shown = (is ?? was) as Row
  const version = is?.version ?? (was?.version ?? 0) + 1
  const of = { subject: kind.subject, subjectId: idOf(kind, shown), topic: kind.topicOf(shown), version }
  return addRevision(trx, { ...of, before: unlessDeleted(was), after: unlessDeleted(is) }, save)
}

export function idOf<Row extends RecordRow>(kind: RecordType<Row>, row: Row) {
  return String((row as Record<string, unknown>)[kind.key])
}

/** Returns null if the row is in the bin. */
export function unlessDeleted<Row extends RecordRow>(row: Row | null) {
  return row?.deletedAt ? null : row
}
