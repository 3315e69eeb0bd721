import { mayEditCollection } from '../permissions.ts'
import { dbKey, type RequestContext, readOr, visitorKey } from '../request.ts'
import { readSite } from '../site/site.server.ts'
import { SiteFacts } from '../site/site.ts'
import { type CollectionName, collections } from './card.ts'
import { listCards } from './cards.server.ts'
import type { Editing } from './editing.ts'

/** The cards of a page, those of its first collection first, as this visitor sees them, and what they may do with them. */
export async function readCards(context: RequestContext, collection: CollectionName, ...further: CollectionName[]) {
  const db = context.get(dbKey)
  const site = await readOr(context, SiteFacts.parse({}), () => readSite(db))
  const mayEdit = mayEditCollection(context.get(visitorKey), collection, site)
  const items = []
  for (const name of [collection, ...further]) {
    items.push(...(await readOr(context, [], () => listCards(db, name, { drafts: mayEdit }))))
  }
  const editing: Editing = {
    collection,
    fields: collections[collection].fields,
    mayEdit,
    seesPencils: mayEdit || !site.hideEditButtonsFromVisitors,
  }
  return { items, editing }
}
