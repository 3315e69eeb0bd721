import type { Kysely, Transaction } from 'kysely'
import type { RevisionRow, Tables } from '../../db/tables.ts'
import { noteChange } from '../../db/transaction.ts'
import type { Topic } from '../live/topics.ts'
import { differences, type Entry, type History, whoInWords } from './history.ts'
import type { Save } from './record.ts'

/** One change of one record: `before` is null for an addition, `after` is null for a deletion. */
export type Revision = Omit<RevisionRow, 'before' | 'after'> & { before: object | null; after: object | null }

type Change = Pick<Revision, 'subject' | 'subjectId' | 'version' | 'before' | 'after'> & { topic: Topic }

/** Keeps a change, in the transaction that makes it, and has it told after the commit. */
export async function keepRevision(trx: Transaction<Tables>, { topic, ...change }: Change, save: Save) {
  const { id: saveId, action, accountId, at } = save
  const [before, after] = [change.before, change.after].map((state) => state && JSON.stringify(state))
  const row = { ...change, id: crypto.randomUUID(), action, accountId, at, saveId, before, after }
  await trx
    .insertInto('revisions')
    .values(row as RevisionRow)
    .execute()
  noteChange(trx, topic)
}

/** What a save has changed, each record's changes in their order; nothing where there is no such save. */
export async function readSave(db: Kysely<Tables>, saveId: string): Promise<Revision[]> {
  if (saveId.includes('\0')) return []
  const rows = db.selectFrom('revisions').selectAll().where('saveId', '=', saveId).orderBy('version').orderBy('id')
  return (await rows.execute()).map(parsed)
}

/** One change; null where there is none of that id. */
export async function readRevision(db: Kysely<Tables>, id: string): Promise<Revision | null> {
  if (id.includes('\0')) return null
  const row = await db.selectFrom('revisions').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? parsed(row) : null
}

/** The last change of a record; null where it never was. */
export async function lastRevision(db: Kysely<Tables>, subject: string, subjectId: string): Promise<Revision | null> {
  const row = await db
    .selectFrom('revisions')
    .selectAll()
    .where('subject', '=', subject)
    .where('subjectId', '=', subjectId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? parsed(row) : null
}

/** What a record was at one of its versions; null where the history does not tell. */
export async function readVersion<Row>(
  db: Kysely<Tables>,
  { subject, subjectId, version }: { subject: string; subjectId: string; version: number },
): Promise<Row | null> {
  if (!(Number.isInteger(version) && version > 0 && version < 2 ** 31)) return null
  const row = await db
    .selectFrom('revisions')
    .select('after')
    .where('subject', '=', subject)
    .where('subjectId', '=', subjectId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.after ? JSON.parse(row.after) : null
}

/** What of these subjects was deleted since an instant (ISO 8601 in UTC) and has not come back, the last one first. */
export async function listDeletions(db: Kysely<Tables>, subjects: string[], since: string): Promise<Revision[]> {
  const rows = await db
    .selectFrom('revisions as deletion')
    .selectAll()
    .where('subject', 'in', subjects)
    .where('after', 'is', null)
    .where('before', 'is not', null)
    .where('at', '>=', since)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('revisions as later')
            .select('later.id')
            .whereRef('later.subject', '=', 'deletion.subject')
            .whereRef('later.subjectId', '=', 'deletion.subjectId')
            .whereRef('later.version', '>', 'deletion.version'),
        ),
      ),
    )
    .orderBy('at', 'desc')
    .execute()
  return rows.map(parsed)
}

function parsed({ before, after, ...change }: RevisionRow): Revision {
  return { ...change, before: before && JSON.parse(before), after: after && JSON.parse(after) }
}

const PAGE = 20

type Telling = {
  /** What a stored record says, by what each part is called: only this is told. */
  inWords: (record: never) => Record<string, string>
  /** The names of these accounts, as far as whoever asks may know them. */
  namesOf: (accountIds: string[]) => Promise<Map<string, string>>
  page: number
}

/** The changes of one record, newest first, twenty a page, in its own words. */
export async function listRevisions(
  db: Kysely<Tables>,
  { subject, subjectId }: { subject: string; subjectId: string },
  { inWords, namesOf, page }: Telling,
): Promise<History> {
  const rows = await db
    .selectFrom('revisions')
    .selectAll()
    .where('subject', '=', subject)
    .where('subjectId', '=', subjectId)
    .orderBy('version', 'desc')
    .limit(PAGE + 1)
    .offset((page - 1) * PAGE)
    .execute()
  const names = await namesOf([...new Set(rows.flatMap(({ accountId }) => accountId ?? []))])
  const words = (record: object | null) => (record ? inWords(record as never) : {})
  const entries = rows.slice(0, PAGE).map((row, index): Entry => {
    const { id, at, accountId, action, version, before, after } = parsed(row)
    const cameBack = returns.includes(action) || (!before && version > 1)
    return {
      id,
      at,
      by: whoInWords(accountId, names),
      kind: after ? (cameBack ? 'put back' : before ? 'changed' : 'added') : 'deleted',
      changes: after ? differences(words(before), words(after)) : [],
      canReturn: after !== null && !(page === 1 && index === 0),
    }
  })
  return { entries, page, older: rows.length > PAGE }
}

const returns = ['take back', 'put back']
