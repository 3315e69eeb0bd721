import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { noteChange } from '../../db/transaction.ts'
import type { Author, Change } from './revision.ts'

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
  return all
    .filter(({ accountId }) => accountId === one.accountId)
    .map(({ before, after, ...change }) => ({
      ...change,
      before: before && JSON.parse(before),
      after: after && JSON.parse(after),
    }))
}
