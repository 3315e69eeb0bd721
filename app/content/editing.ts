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
