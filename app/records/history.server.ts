import { contextOf, type RequestContext } from '../request.ts'
import { differences, type Entry, formatAuthor, type History, historyPageIn } from './history.ts'
import type { AnyRecordType } from './record.ts'
import { lastRevision, parseRevision, type Revision, revisionsOf } from './revisions.server.ts'

const PAGE_SIZE = 20

/** Returns the history page that the URL selects. The page is empty if the visitor may not change the record. */
export async function readHistory(
  context: RequestContext,
  { subject, id: subjectId, url }: { subject: string; id: string; url: URL },
): Promise<History> {
  const { db, visitor, records } = contextOf(context)
  const page = historyPageIn(url)
  const recordType = records.recordTypes.find((each) => each.subject === subject)
  const last = recordType && (await lastRevision(db, subject, subjectId))
  const rule = await records.readRule(db)
  if (!last || recordType.refusal(visitor, rule, last.after ?? last.before)) return { entries: [], page, older: false }
  const rows = await revisionsOf(db, subject, subjectId)
    .selectAll()
    .orderBy('version', 'desc')
    .limit(PAGE_SIZE + 1)
    .offset((page - 1) * PAGE_SIZE)
    .execute()
  const authors = new Set(rows.flatMap(({ accountId }) => accountId ?? []))
  const names = await records.namesOf(db, visitor, [...authors])
  const related = (await recordType.relatedNames?.(db)) ?? new Map<string, string>()
  const describe = (record: object | null) => (record ? recordType.describe(record, related) : {})
  const entries = rows.slice(0, PAGE_SIZE).map((row, index): Entry => {
    const revision = parseRevision(row)
    const { id, at, accountId, before, after } = revision
    return {
      id,
      at,
      by: formatAuthor(accountId, names),
      kind: entryKindOf(revision),
      changes: after ? differences(describe(before), describe(after)) : [],
      canReturn: after !== null && !(page === 1 && index === 0),
    }
  })
  return { entries, page, older: rows.length > PAGE_SIZE }
}

function entryKindOf({ action, version, before, after }: Revision) {
  if (!after) return 'deleted'
  if (['take back', 'put back'].includes(action) || (!before && version > 1)) return 'put back'
  return before ? 'changed' : 'added'
}

type AccountChange = Pick<Entry, 'id' | 'at' | 'kind'> & { where: string; title: string; address: string }

export async function listChangesOf(context: RequestContext, accountId: string, page: number) {
  const { db, records } = contextOf(context)
  const subjects = records.recordTypes.map(({ subject }) => subject)
  const rows = await db
    .selectFrom('revisions')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('subject', 'in', subjects)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(PAGE_SIZE + 1)
    .offset((page - 1) * PAGE_SIZE)
    .execute()
  const changes = rows.slice(0, PAGE_SIZE).map((row): AccountChange => {
    const revision = parseRevision(row)
    const { id, at, subject, before, after } = revision
    const kind = records.recordTypes.find((each) => each.subject === subject) as AnyRecordType
    const record = after ?? before
    const [where, title, address] = [kind.placeOf(record), kind.titleOf(record), kind.urlOf(record)]
    return { id, at, kind: entryKindOf(revision), where, title, address }
  })
  return { changes, older: rows.length > PAGE_SIZE }
}
