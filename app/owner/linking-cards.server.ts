import type { CollectionName } from '../cards/card.ts'
import { canSeeCards, readCollectionName } from '../cards/cards-of-page.server.ts'
import { cardName, editUrl } from '../cards/editing.ts'
import { pageOfLink } from '../pages/pages.server.ts'
import { contextOf, type RequestContext } from '../request.ts'

/** Returns the cards that link to a page of this site, by page, without the cards of deleted pages. */
export async function readLinkingCards(context: RequestContext) {
  const rows = await contextOf(context)
    .db.selectFrom('cards')
    .select(['id', 'collection', 'title', 'text1', 'linkUrl'])
    .where('deletedAt', 'is', null)
    .where('linkUrl', 'like', '/%')
    .orderBy('collection')
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  const cards = rows.map(async ({ linkUrl, ...row }) => {
    const card = { ...row, collection: row.collection as CollectionName }
    if (!(await canSeeCards(context, card.collection))) return []
    const place = await readCollectionName(context, card.collection)
    return [{ page: pageOfLink(linkUrl), id: card.id, name: cardName(card), place, to: editUrl(card) }]
  })
  return Map.groupBy((await Promise.all(cards)).flat(), ({ page }) => page)
}
