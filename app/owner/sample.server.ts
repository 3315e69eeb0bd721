import { untypedTables } from '../../db/engine.ts'
import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import {
  type AnyRecordType,
  newSave,
  type RecordRef,
  type RecordRow,
  type RecordType,
  type SampleLeft,
} from '../records/record.ts'
import { change, idColumnOf, idOf, lockPresent, remove, unlessDeleted } from '../records/records.server.ts'
import { parseRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'

type SampleRecord = { kind: AnyRecordType; id: string; sample: RecordRow }

export async function countSample(db: Db, kinds: readonly AnyRecordType[]) {
  const counts = new Map<string, number>()
  const records = Map.groupBy(await readSample(db, kinds), ({ kind }) => kind)
  for (const [kind, sampleRecords] of records) {
    const ids = sampleRecords.map(({ id }) => id)
    const rows = await untypedTables(db).selectFrom(kind.table).selectAll().where(idColumnOf(kind), 'in', ids).execute()
    for (const row of rows as RecordRow[]) {
      const sample = sampleRecords.find(({ id }) => id === idOf(kind, row))?.sample
      const count = sample && unlessDeleted(row) ? findUntouched(kind, row, sample).count : 0
      if (count > 0) counts.set(kind.placeOf(row), (counts.get(kind.placeOf(row)) ?? 0) + count)
    }
  }
  return [...counts]
    .map(([place, count]) => ({ place, count }))
    .sort((a, b) => b.count - a.count || (a.place < b.place ? -1 : 1))
}

/**
 * Removes the untouched sample content in one save. Returns the save ID and the number of removed items, or null if no
 * sample content is left.
 */
export function removeSample(db: Db, kinds: readonly AnyRecordType[], author: Author) {
  const save = newSave(author, 'remove the sample')
  return inTransaction(db, async (trx) => {
    let count = 0
    for (const { kind, id, sample } of await readSample(trx, kinds)) {
      const row: RecordRow | null = await lockPresent(trx, kind, id)
      const untouched = row && findUntouched(kind, row, sample)
      if (!row || !untouched || untouched.count === 0) continue
      count += untouched.count
      if (untouched.without) await change(trx, kind, row, untouched.without, save)
      else await remove(trx, kind, row, save)
    }
    return count > 0 ? { save: save.id, count } : null
  })
}

// Returns the records in the order in which saves lock records, which prevents deadlocks.
async function readSample(db: Db, kinds: readonly AnyRecordType[]): Promise<SampleRecord[]> {
  const rows = await db
    .selectFrom('revisions')
    .selectAll()
    .where('action', '=', 'sample')
    .orderBy('version')
    .orderBy('id')
    .execute()
  // Some sample records were created in several steps, so the last sample revision is the sample content.
  const lastRevisions = new Map(rows.map((row) => [`${row.subject} ${row.subjectId}`, parseRevision(row)]))
  return [...lastRevisions]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { subject, subjectId: id, after }]) => {
      const kind = kinds.find((each) => each.subject === subject)
      return kind && after ? [{ kind, id, sample: after as RecordRow }] : []
    })
}

function findUntouched(kind: AnyRecordType, now: RecordRow, sample: RecordRow): SampleLeft<RecordRow> {
  if (kind.sampleLeft) return kind.sampleLeft(now, sample)
  const serialize = ({ version: _, updatedAt: __, ...row }: RecordRow) => JSON.stringify(Object.entries(row).sort())
  return { count: serialize(now) === serialize(sample) ? 1 : 0, without: null }
}

export async function untouchedPredicate(db: Db, subject: string) {
  const rows = await db
    .selectFrom('revisions')
    .select(({ fn }) => ['subjectId', fn.max('version').as('version')])
    .where('subject', '=', subject)
    .where('action', '=', 'sample')
    .groupBy('subjectId')
    .execute()
  const versions = new Map(rows.map(({ subjectId, version }) => [subjectId, version]))
  return ({ id, version }: RecordRef) => versions.get(id) === version
}

/** Returns a row without its untouched sample values, or null if no other values are left. */
export async function withoutSample<Row extends RecordRow>(
  db: Db,
  kind: RecordType<Row>,
  row: Row,
): Promise<Row | null> {
  const id = idOf(kind, row)
  const sample = (await readSample(db, [kind])).find((each) => each.id === id)
  const untouched = sample && findUntouched(kind, row, sample.sample)
  if (!untouched || untouched.count === 0) return row
  return untouched.without ? { ...row, ...untouched.without } : null
}
