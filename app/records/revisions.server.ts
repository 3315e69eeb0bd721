import type { Kysely, Transaction } from 'kysely'
import type { RevisionRow, Tables } from '../../db/tables.ts'
import { noteChange } from '../../db/transaction.ts'
import type { Author } from '../request.ts'
import { differences, type Entry, type History, whoInWords } from './history.ts'
import type { Change } from './revision.ts'

/** Keeps a change, in the transaction that makes it, has it told after the commit, and returns the revision's id. */
export async function recordRevision(trx: Transaction<Tables>, change: Change, author: Author) {
  const id = crypto.randomUUID()
  await trx
    .insertInto('revisions')
    .values({
      id,
      subject: change.subject,
      subjectId: change.subjectId,
      action: change.action,
      before: change.before && JSON.stringify(change.before),
      after: change.after && JSON.stringify(change.after),
      accountId: author.accountId,
      at: author.at,
    })
    .execute()
  noteChange(trx, { subject: change.subject, record: change.after ?? change.before ?? {} })
  return id
}

/** A save is everything its author changed of a subject at one instant: all of it, by the id of any of its revisions. */
export async function readSave(
  db: Kysely<Tables>,
  subject: string,
  revisionId: string,
): Promise<(Change & { id: string })[]> {
  const one = await db
    .selectFrom('revisions')
    .select(['accountId', 'at'])
    .where('id', '=', revisionId)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (!one) return []
  const all = await db
    .selectFrom('revisions')
    .selectAll()
    .where('subject', '=', subject)
    .where('at', '=', one.at)
    .execute()
  return all.filter(({ accountId }) => accountId === one.accountId).map(parsed)
}

/** One change of a subject; null where there is none of that id. */
export async function readRevision(
  db: Kysely<Tables>,
  subject: string,
  revisionId: string,
): Promise<(Change & { id: string }) | null> {
  if (revisionId.includes('\0')) return null
  const row = await db
    .selectFrom('revisions')
    .selectAll()
    .where('id', '=', revisionId)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row ? parsed(row) : null
}

/** What a record was at one of its versions; null where the history does not tell. */
export async function readVersion<Row extends { version: number }>(
  db: Kysely<Tables>,
  { subject, subjectId, version }: { subject: string; subjectId: string; version: number },
): Promise<Row | null> {
  const rows = await db
    .selectFrom('revisions')
    .select('after')
    .where('subject', '=', subject)
    .where('subjectId', '=', subjectId)
    .where('after', 'like', `%"version":${version}%`)
    .execute()
  const states = rows.map(({ after }): Row => JSON.parse(after ?? ''))
  return states.find((state) => state.version === version) ?? null
}

function parsed({ before, after, ...change }: RevisionRow): Change & { id: string } {
  return { ...change, before: before && JSON.parse(before), after: after && JSON.parse(after) }
}

/** By whose account each of these records was deleted at that instant; null where the site did it. */
export async function deletersOf(db: Kysely<Tables>, subject: string, deleted: { id: string; deletedAt: string }[]) {
  const instants = new Map(deleted.map(({ id, deletedAt }) => [id, deletedAt]))
  const rows = await db
    .selectFrom('revisions')
    .select(['subjectId', 'accountId', 'at'])
    .where('subject', '=', subject)
    .where('subjectId', 'in', ['', ...instants.keys()])
    .execute()
  const deletions = rows.filter(({ subjectId, at }) => instants.get(subjectId) === at)
  return new Map(deletions.map(({ subjectId, accountId }) => [subjectId, accountId]))
}

const PAGE = 20

type Telling = {
  /** What a stored record says, by what each part is called: only this is told. */
  inWords: (record: never) => Record<string, string>
  /** The names of these accounts, as far as whoever asks may know them. */
  namesOf: (accountIds: string[]) => Promise<Map<string, string>>
  page: number
}

/** The changes of one record, newest first, twenty a page, in the words of the feature that keeps it. */
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
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(PAGE + 1)
    .offset((page - 1) * PAGE)
    .execute()
  const names = await namesOf([...new Set(rows.flatMap(({ accountId }) => accountId ?? []))])
  const words = (record: object | null) => (record ? inWords(record as never) : {})
  const entries = rows
    .map((row) => ({ ...parsed(row), accountId: row.accountId, at: row.at }))
    // Of the same instant, by their versions.
    .sort((a, b) => (a.at === b.at ? versionAfter(b) - versionAfter(a) : 0))
    .slice(0, PAGE)
    .map(({ id, at, accountId, action, ...change }, index): Entry => {
      const [before, after] = [there(change.before), there(change.after)]
      const cameBack = returns.includes(action) || (!before && versionAfter(change) > 1)
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

// A record that lies in the bin is not there.
function there(record: object | null) {
  return record && (record as { deletedAt?: unknown }).deletedAt ? null : record
}

function versionAfter({ before, after }: Pick<Change, 'before' | 'after'>) {
  const versionOf = (record: object | null) => (record as { version?: number } | null)?.version
  return versionOf(after) ?? (versionOf(before) ?? 0) + 1
}
