import { dbKey, type RequestContext, visitorKey } from '../request.ts'
import { type History, pageOfHistory } from './history.ts'
import { recordsKey } from './record.ts'
import { lastRevision, listRevisions } from './revisions.server.ts'

/** The changes of a record, for those who may change it, the page of them that the address asks for; none for anyone else. */
export async function readHistory(
  context: RequestContext,
  { subject, id, url }: { subject: string; id: string; url: URL },
): Promise<History> {
  const db = context.get(dbKey)
  const page = pageOfHistory(url)
  const { kinds, namesOf } = context.get(recordsKey)
  const kind = kinds.find((each) => each.subject === subject)
  const last = kind && (await lastRevision(db, subject, id.replaceAll('\0', '')))
  if (!last || (await kind.refusal(context, last.after ?? last.before))) return { entries: [], page, older: false }
  return listRevisions(
    db,
    { subject, subjectId: id },
    { inWords: kind.inWords, namesOf: (accountIds) => namesOf(db, context.get(visitorKey), accountIds), page },
  )
}
