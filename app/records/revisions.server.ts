import { fromStored, toStored } from '../../db/booleans.ts'
import type { Db, RevisionRow, Trx } from '../../db/tables.ts'
import { noteChange } from '../../db/transaction.ts'
import type { Topic } from '../live/topics.ts'
import type { Save } from './record.ts'

/** A change of a record. `before` is null for an addition, and `after` is null for a deletion. */
export type Revision = Omit<RevisionRow, 'before' | 'after'> & { before: object | null; after: object | null }

type Change = Pick<Revision, 'subject' | 'subjectId' | 'version' | 'before' | 'after'> & { topic: Topic }

/** A change of a record in the current transaction, by its author. */
export type RecordChange = Pick<Revision, 'subject' | 'subjectId' | 'before' | 'after' | 'accountId'>

const changesByTransaction = new WeakMap<Trx, RecordChange[]>()

/** Returns the changes of records in the transaction so far. */
export function listChanges(trx: Trx) {
  return changesByTransaction.get(trx) ?? []
}

/** Adds a change that has no revision to `listChanges`. */
export function noteRecordChange(trx: Trx, change: RecordChange) {
  const changes = listChanges(trx)
  changesByTransaction.set(trx, changes)
  changes.push(change)
}

/** Stores a revision in the transaction of the change, and publishes the topic after the commit. */
export async function addRevision(trx: Trx, { topic, ...change }: Change, save: Save) {
  const { id: saveId, action, accountId, at } = save
  const [before, after] = [change.before, change.after].map(
    (state) => state && JSON.stringify(state, (_, value) => toStored(value)),
  )
  const row = { ...change, id: crypto.randomUUID(), action, accountId, at, saveId, before, after }
  await trx
    .insertInto('revisions')
    .values(row as RevisionRow)
    .execute()
  noteRecordChange(trx, { ...change, accountId })
  noteChange(trx, topic)
}

export function revisionsOf(db: Db, subject: string, subjectId: string) {
  return db.selectFrom('revisions').where('subject', '=', subject).where('subjectId', '=', subjectId)
}

export async function readSave(db: Db, saveId: string): Promise<Revision[]> {
  const rows = db.selectFrom('revisions').selectAll().where('saveId', '=', saveId).orderBy('version').orderBy('id')
  return (await rows.execute()).map(parseRevision)
}

export async function readRevision(db: Db, id: string): Promise<Revision | null> {
  const row = await db.selectFrom('revisions').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? parseRevision(row) : null
}

export async function lastRevision(db: Db, subject: string, subjectId: string): Promise<Revision | null> {
  const revisions = revisionsOf(db, subject, subjectId).selectAll().orderBy('version', 'desc')
  const row = await revisions.limit(1).executeTakeFirst()
  return row ? parseRevision(row) : null
}

/** Returns a record at the given version. Returns null if the history does not contain this version. */
export async function readVersion<Row extends object>(
  db: Db,
  { subject, subjectId, version }: { subject: string; subjectId: string; version: number },
): Promise<Row | null> {
  if (!(Number.isInteger(version) && version > 0 && version < 2 ** 31)) return null
  const revisions = revisionsOf(db, subject, subjectId).where('version', '=', version)
  const row = await revisions.select('after').executeTakeFirst()
  return parseState<Row>(row?.after)
}

export function parseRevision({ before, after, ...change }: RevisionRow): Revision {
  return { ...change, before: parseState(before), after: parseState(after) }
}

export function parseState<Row extends object>(json: string | null | undefined): Row | null {
  return json ? JSON.parse(json, fromStored) : null
}
