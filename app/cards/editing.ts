import type { Card, CollectionName, Field } from './card.ts'

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
export function editAddress({ id, collection }: Pick<Card, 'id' | 'collection'>) {
  return `${pagesThatEdit[collection] ?? '/firestoreservice'}/${id}/edit`
}

/** What the way to a form is made from; `posttitle` is the page's. */
export type Carried = { posttitle: string; editing: Editing }

// As the specification names them; the other fields are not of it.
const specified: Partial<Record<Field, string>> = {
  ...{ order: 'order', eventDay: 'eventday', title: 'title', content: 'content' },
  ...{ linkUrl: 'linkUrl', youtubeUrl: 'youtubeUrl', image: 'image' },
  ...{ text1: 'text1', text2: 'text2', text3: 'text3' },
}

/** What the way to a form carries along. The form reads all of it anew: what the browser holds may be old or forged. */
export function carriedState({ posttitle, editing }: Carried, item?: Card) {
  const databasename = item?.collection ?? editing.collection
  const targetitems = editing.fields.flatMap((field) => specified[field] ?? [])
  return { posttitle, databasename, targetitems, ...(item && { targetData: item }) }
}

export const NAMELESS = 'この項目'

/** What a pencil, a deletion and a list call a card: its title, else its first line. */
export function nameOf({ title, text1 }: { title: string; text1: string }) {
  return title || text1 || NAMELESS
}
