import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Author } from '../history/revision.ts'
import { recordRevision } from '../history/revisions.server.ts'
import { type CollectionName, type ContentFields, type ContentItem, collections, compareItems } from './content-item.ts'

/** The cards of a collection, sorted as its page shows them. */
export async function listContentItems(db: Kysely<Tables>, collection: CollectionName): Promise<ContentItem[]> {
  const rows = await db
    .selectFrom('contentItems')
    .selectAll()
    .where('collection', '=', collection)
    .where('deletedAt', 'is', null)
    .execute()
  return rows.map(toItem).sort(compareItems(collections[collection].sortedBy))
}

function toItem({ deletedAt: _, other: __, ...row }: Tables['contentItems']): ContentItem {
  return { ...row, collection: row.collection as CollectionName }
}

const empty: ContentFields = {
  order: null,
  eventDay: null,
  title: '',
  content: '',
  linkUrl: '',
  youtubeUrl: '',
  image: '',
  imageAlt: '',
  text1: '',
  text2: '',
  text3: '',
}

/** Adds a card, its fields already parsed by the collection's schema, and returns its id. */
export async function addContentItem(
  db: Kysely<Tables>,
  collection: CollectionName,
  given: Partial<ContentFields>,
  author: Author,
) {
  const row = {
    id: crypto.randomUUID(),
    collection,
    version: 1,
    ...empty,
    ...given,
    other: '',
    createdAt: author.at,
    updatedAt: author.at,
    deletedAt: null,
  }
  await inTransaction(db, async (trx) => {
    await trx.insertInto('contentItems').values(row).execute()
    await recordRevision(
      trx,
      { subject: 'contentItem', subjectId: row.id, action: 'add', before: null, after: row },
      author,
    )
  })
  return row.id
}
