import { namesOfAccounts } from '../members/members.server.ts'
import { mayEditDishesAndCalendar } from '../permissions.ts'
import { type History, pageOfHistory } from '../records/history.ts'
import { listRevisions } from '../records/revisions.server.ts'
import { dbKey, visitorKey } from '../request.ts'
import { readSite } from '../site/site.server.ts'
import type { Route } from './+types/event-history.ts'
import { eventInWords } from './event-words.ts'

export const headers = () => ({ 'cache-control': 'private, no-store' })

/** The changes of the event that the address names, for those who may edit it; none for anyone else. */
export async function loader({ context, url }: Route.LoaderArgs): Promise<History> {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const page = pageOfHistory(url)
  if (!mayEditDishesAndCalendar(visitor, await readSite(db))) return { entries: [], page, older: false }
  return listRevisions(
    db,
    { subject: 'event', subjectId: (url.searchParams.get('event') ?? '').replaceAll('\0', '') },
    { inWords: eventInWords, namesOf: (accountIds) => namesOfAccounts(db, visitor, accountIds), page },
  )
}
