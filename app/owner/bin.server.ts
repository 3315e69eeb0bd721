import { sql } from 'kysely'
import { isPostgres } from '../../db/engine.ts'
import type { Db } from '../../db/tables.ts'
import type { AnyRecordType } from '../records/record.ts'
import { parseRevision } from '../records/revisions.server.ts'
import { contextOf, type RequestContext } from '../request.ts'

const PAGE_SIZE = 50

/** Returns one page of the deletions since `since` (ISO 8601 in UTC) that the visitor may restore, latest first. */
export async function listBinned(context: RequestContext, { since, page }: { since: string; page: number }) {
  const { db, visitor } = contextOf(context)
  const { recordTypes, readRule } = contextOf(context).records
  const kindOf = new Map(recordTypes.map((kind) => [kind.subject, kind]))
  const rule = await readRule(db)
  const scope = scopeExpression(db, recordTypes)
  const deletions = deletionsSince(db, since)
  const groups = await deletions
    .select(({ fn }) => ['subject', scope.as('scope'), fn.countAll<number>().as('count')])
    .groupBy(['subject', 'scope'])
    .execute()
  const allowedGroups = groups.filter(({ subject, scope }) => {
    const kind = kindOf.get(subject)
    return kind?.refusal(visitor, rule, kind.scope ? { [kind.scope]: scope } : {}) === null
  })
  const count = allowedGroups.reduce((sum, group) => sum + group.count, 0)
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE))
  const shownPage = Math.min(Math.max(1, page), pages)
  const rows = await deletions
    .selectAll()
    .where(({ and, eb, or }) =>
      or(
        allowedGroups.map((group) =>
          and([eb('subject', '=', group.subject), eb(scope, 'is not distinct from', group.scope)]),
        ),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(PAGE_SIZE)
    .offset((shownPage - 1) * PAGE_SIZE)
    .execute()
  const binned = rows.map((row) => {
    const { subject, subjectId, before, at, accountId } = parseRevision(row)
    const kind = kindOf.get(subject) as AnyRecordType
    const [where, title] = [kind.placeOf(before), kind.titleOf(before)]
    return { kind: subject, id: subjectId, where, title, deletedAt: at, accountId }
  })
  return { binned, page: shownPage, pages }
}

/** Selects the deletions since `since` (ISO 8601 in UTC), except the deletions of restored records. */
export function deletionsSince(db: Db, since: string) {
  return db
    .selectFrom('revisions as deletion')
    .where('after', 'is', null)
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
}

// Selects the value of the record type's `scope` column in the deleted record; null if the record type has no scope.
function scopeExpression(db: Db, kinds: readonly AnyRecordType[]) {
  const before = isPostgres(db) ? sql`before::json` : sql`before`
  const cases = kinds.map(({ subject, scope }) =>
    scope ? sql`when ${sql.lit(subject)} then ${before} ->> ${sql.lit(scope)}` : sql``,
  )
  return sql<string | null>`case subject ${sql.join(cases, sql` `)} end`
}
