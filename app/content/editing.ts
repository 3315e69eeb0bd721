import type { CollectionName, ContentItem, Field } from './content-item.ts'

/** What a visitor may do with the cards of a page. */
export type Editing = {
  /** Where a new card goes. */
  collection: CollectionName
  /** What its form asks for. */
  fields: readonly Field[]
  mayEdit: boolean
  seesPencils: boolean
}

/** What a card is called where it is spoken of. */
export function nameOf({ title, text1 }: Pick<ContentItem, 'title' | 'text1'>) {
  return title || text1 || 'この項目'
}

const pagesThatEdit: Partial<Record<CollectionName, string>> = {
  webdesignincludebackend: '/webdesignincludebackend',
  webdesign: '/webdesignincludebackend',
  tennisrelated: '/tennisrelated',
  socialefficiency: '/socialefficiency',
}

/** The address of a card's form. */
export function editAddress({ id, collection }: Pick<ContentItem, 'id' | 'collection'>) {
  return `${pagesThatEdit[collection] ?? '/firestoreservice'}/${id}/edit`
}
