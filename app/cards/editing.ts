import type { Card, CollectionName, Field } from './card.ts'

export type Editing = {
  collection: CollectionName
  fields: readonly Field[]
  mayEdit: boolean
  seesPencils: boolean
}

const editPaths: Partial<Record<CollectionName, string>> = {
  webdesignincludebackend: '/webdesignincludebackend',
  webdesign: '/webdesignincludebackend',
  tennisrelated: '/tennisrelated',
  socialefficiency: '/socialefficiency',
}

export function editUrl({ id, collection }: Pick<Card, 'id' | 'collection'>) {
  return `${editPaths[collection] ?? '/firestoreservice'}/${id}/edit`
}

export type EditLinkData = { posttitle: string; editing: Editing }

// The specification defines names only for these fields.
const specifiedNames: Partial<Record<Field, string>> = {
  ...{ order: 'order', eventDay: 'eventday', title: 'title', content: 'content' },
  ...{ linkUrl: 'linkUrl', youtubeUrl: 'youtubeUrl', image: 'image' },
  ...{ text1: 'text1', text2: 'text2', text3: 'text3' },
}

/** Returns the state that the specification requires. The form loads its own data, because the state may be stale. */
export function editLinkState({ posttitle, editing }: EditLinkData, item?: Card) {
  const databasename = item?.collection ?? editing.collection
  const targetitems = editing.fields.flatMap((field) => specifiedNames[field] ?? [])
  return { posttitle, databasename, targetitems, ...(item && { targetData: item }) }
}

export const FALLBACK_NAME = 'この項目'

export function cardName({ title, text1 }: { title: string; text1: string }) {
  return title || text1 || FALLBACK_NAME
}
