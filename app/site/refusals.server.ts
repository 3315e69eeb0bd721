import {
  mayEditCollection,
  mayEditDishesAndCalendar,
  refusedCollection,
  refusedDishesAndCalendar,
} from '../permissions.ts'
import { dbKey, type RequestContext, visitorKey } from '../request.ts'
import { readSite } from './site.server.ts'

/** Why whoever asks may not change events, hours and special days; null where they may. */
export async function refusalOfCalendar(context: RequestContext) {
  const [visitor, site] = [context.get(visitorKey), await readSite(context.get(dbKey))]
  return mayEditDishesAndCalendar(visitor, site) ? null : refusedDishesAndCalendar(visitor, site)
}

/** Why whoever asks may not change the cards of this collection; null where they may. */
export async function refusalOfCollection(context: RequestContext, collection: string) {
  const [visitor, site] = [context.get(visitorKey), await readSite(context.get(dbKey))]
  return mayEditCollection(visitor, collection, site) ? null : refusedCollection(visitor, collection, site)
}
