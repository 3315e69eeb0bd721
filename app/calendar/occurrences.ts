import { Rejection } from '../forms/outcome.ts'
import { refusalOfCalendar } from '../permissions.ts'
import { contextOf } from '../request.ts'
import type { Route } from './+types/occurrences.ts'
import { Repetition } from './event.ts'
import { readOccurrences } from './occurrences.server.ts'

export const headers = () => ({ 'cache-control': 'private, no-store' })

/** Returns the description of a new series before it is saved. Returns an empty text if its form is not complete. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, records } = contextOf(context)
  const parsed = Repetition.safeParse(Object.fromEntries(url.searchParams))
  if (!parsed.success || refusalOfCalendar(visitor, await records.readRule(db))) return ''
  try {
    return (await readOccurrences(db, parsed.data)).description
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    return `${Object.values(error.result.errors ?? {}).join()}。`
  }
}
