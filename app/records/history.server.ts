import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { differences, type Entry, type History, pageOfHistory, whoInWords } from './history.ts'
import type { AnyKind } from './record.ts'
import { lastRevision, parsed, type Revision } from './revisions.server.ts'

/** Returns the page of a record's history that the URL selects; empty if the visitor may not change the record. */
export async function readHistory(
  context: RequestContext,
  { subject, id, url }: { subject: string; id: string; url: URL },
): Promise<History> {
  const { db } = contextOf(context)
  const page = pageOfHistory(url)
  const { kinds, readRule, namesOf } = contextOf(context).records
  const kind = kinds.find((each) => each.subject === subject)
  const last = kind && (await lastRevision(db, subject, id))
  const { visitor } = contextOf(context)
  const rule = await readRule(db)
  if (!last || kind.refusal(visitor, rule, last.after ?? last.before)) return { entries: [], page, older: false }
  return listRevisions(
    db,
    { subject, subjectId: id },
    { inWords: kind.inWords, namesOf: (accountIds) => namesOf(db, visitor, accountIds), page },
  )
}

const PAGE = 20

type Wording = {
  /** Returns the texts of a record by label; the history contains nothing else. */
  inWords: (record: never) => Record<string, string>
  namesOf: (accountIds: string[]) => Promise<Map<string, string>>
  page: number
}

async function listRevisions(
  db: Kysely<Tables>,
  { subject, subjectId }: { subject: string; subjectId: string },
  { inWords, namesOf, page }: Wording,
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
    return {
      id,
      at,
      by: whoInWords(accountId, names),
      kind: kindOf({ action, version, before, after }),
      changes: after ? differences(words(before), words(after)) : [],
      canReturn: after !== null && !(page === 1 && index === 0),
    }
  })
  return { entries, page, older: rows.length > PAGE }
}

const returns = ['take back', 'put back']

function kindOf({ action, version, before, after }: Pick<Revision, 'action' | 'version' | 'before' | 'after'>) {
  if (!after) return 'deleted'
  if (returns.includes(action) || (!before && version > 1)) return 'put back'
  return before ? 'changed' : 'added'
}

export type ChangeOf = {
  id: string
  at: string
  kind: Entry['kind']
  where: string
  title: string
  address: string
}

/** Returns an account's changes, newest first, twenty per page; `page` counts from 1. */
export async function listChangesOf(context: RequestContext, accountId: string, page: number) {
  const { kinds } = contextOf(context).records
  const rows = await contextOf(context)
    .db.selectFrom('revisions')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(
      'subject',
      'in',
      kinds.map(({ subject }) => subject),
    )
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(PAGE + 1)
    .offset((page - 1) * PAGE)
    .execute()
  const changes = rows.slice(0, PAGE).map((row): ChangeOf => {
    const { id, at, subject, action, version, before, after } = parsed(row)
    const kind = kinds.find((each) => each.subject === subject) as AnyKind
    const record = after ?? before
    const [where, title, address] = [kind.placeOf(record), kind.nameOf(record), kind.addressOf(record)]
    return { id, at, kind: kindOf({ action, version, before, after }), where, title, address }
  })
  return { changes, older: rows.length > PAGE }
}
