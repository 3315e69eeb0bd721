import { lock, untypedTables } from '../../db/engine.ts'
import type { Trx } from '../../db/tables.ts'
import type { RecordRow, RecordType, Save } from './record.ts'
import { addRevision, lastRevision } from './revisions.server.ts'

/** Locks an ID until the transaction ends. Returns the row, even if the row is in the bin, or null. */
export async function lockRow<Row extends RecordRow>(
  trx: Trx,
  recordType: RecordType<Row>,
  id: string,
): Promise<Row | null> {
  await lock(trx, `${recordType.subject} ${id}`)
  const row = await untypedTables(trx)
    .selectFrom(recordType.table)
    .selectAll()
    .where(idColumnOf(recordType), '=', id)
    .executeTakeFirst()
  return (row as Row | undefined) ?? null
}

/** Locks a record and returns its row. Returns null if the record is missing or in the bin. */
export async function lockPresent<Row extends RecordRow>(trx: Trx, recordType: RecordType<Row>, id: string) {
  return unlessDeleted(await lockRow(trx, recordType, id))
}

/** Inserts a record after `lockRow` returned null. The version continues that of a deleted record with this ID. */
export async function add<Row extends RecordRow>(
  trx: Trx,
  recordType: RecordType<Row>,
  columns: Omit<Row, 'version' | 'updatedAt'> & Partial<RecordRow>,
  save: Save,
) {
  const last = await lastRevision(trx, recordType.subject, idOf(recordType, columns as Row))
  const row = { updatedAt: save.at, ...columns, version: (last?.version ?? 0) + 1 } as Row
  await recordType.guard?.(trx, null, row, save)
  await untypedTables(trx).insertInto(recordType.table).values(row).execute()
  await storeRevision(trx, recordType, null, row, save)
  return row
}

/** Updates a locked row and returns the new row. `updatedAt` defaults to the save's time. */
export async function change<Row extends RecordRow>(
  trx: Trx,
  recordType: RecordType<Row>,
  before: Row,
  changed: Partial<Row>,
  save: Save,
) {
  const after = { ...before, updatedAt: save.at, ...changed, version: before.version + 1 }
  await recordType.guard?.(trx, unlessDeleted(before), unlessDeleted(after), save)
  await untypedTables(trx)
    .updateTable(recordType.table)
    .set(after)
    .where(idColumnOf(recordType), '=', idOf(recordType, before))
    .execute()
  await storeRevision(trx, recordType, before, after, save)
  return after
}

/** Deletes a locked row. If the row has the column `deletedAt`, the row is soft-deleted. */
export async function remove<Row extends RecordRow>(trx: Trx, recordType: RecordType<Row>, before: Row, save: Save) {
  if ('deletedAt' in before)
    return void (await change(trx, recordType, before, { deletedAt: save.at } as Partial<Row>, save))
  await recordType.guard?.(trx, before, null, save)
  await untypedTables(trx)
    .deleteFrom(recordType.table)
    .where(idColumnOf(recordType), '=', idOf(recordType, before))
    .execute()
  await storeRevision(trx, recordType, before, null, save)
}

function storeRevision<Row extends RecordRow>(
  trx: Trx,
  recordType: RecordType<Row>,
  before: Row | null,
  after: Row | null,
  save: Save,
) {
  const row = (after ?? before) as Row
  const version = after?.version ?? (before?.version ?? 0) + 1
  const revision = {
    subject: recordType.subject,
    subjectId: idOf(recordType, row),
    topic: recordType.topicOf(row),
    version,
  }
  return addRevision(trx, { ...revision, before: unlessDeleted(before), after: unlessDeleted(after) }, save)
}

/** Returns the column of the ID. */
export const idColumnOf = ({ key = 'id' }: { key?: string }) => key

export function idOf<Row extends RecordRow>(recordType: RecordType<Row>, row: Row) {
  return String((row as Record<string, unknown>)[idColumnOf(recordType)])
}

export function unlessDeleted<Row extends RecordRow>(row: Row | null) {
  return row?.deletedAt ? null : row
}
