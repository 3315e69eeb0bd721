import type { Selectable } from 'kysely'
import type { CardRow } from '../../db/tables.ts'
import { refusalOfCollection } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { listSections } from '../sections/sections.server.ts'
import { type CollectionName, collectionOf, fields, isSpecified } from './card.ts'
import { toCardValues } from './card-form-values.ts'
import { collectionLabel, describeValue, fieldLabel } from './card-labels.ts'

export type StoredCard = Selectable<CardRow> & { collection: CollectionName }

/** Record type of the cards. A revert never changes the sold-out state of a dish. */
export const cardRecord: RecordType<StoredCard> = {
  subject: 'card',
  table: 'cards',
  topicOf: ({ collection }) => (isSpecified(collection) ? collection : 'site'),
  refusal: (visitor, site, { collection }) => refusalOfCollection(visitor, collection, site),
  scope: 'collection',
  relatedNames: async (db) => new Map((await listSections(db)).map(({ id, name }) => [id, name])),
  describe: ({ soldOutAt, ...card }, sectionNames) => ({
    ...Object.fromEntries(
      collectionOf(card.collection).fields.map((field) => [
        fieldLabel(field, card.collection),
        describeValue(field, toCardValues(card)[field], sectionNames),
      ]),
    ),
    ...(soldOutAt && { 本日売り切れ: 'はい' }),
  }),
  imagesOf: ({ image, portraitImage }) => [image, portraitImage],
  titleOf: ({ title, text1 }) => title || text1 || 'タイトルのない項目',
  placeOf: ({ collection }) => collectionLabel(collection),
  urlOf: ({ id, collection }) => `${collectionOf(collection).path}#card-${id}`,
  leaves: true,
  // A sample card remains sample content if only its position or sold-out state has changed.
  sampleLeft: (now, sample) => {
    const comparedFields = fields.filter((field) => field !== 'order' && field !== 'section')
    return { count: comparedFields.every((field) => now[field] === sample[field]) ? 1 : 0, without: null }
  },
  columnsToRevert: (_, then) => Object.fromEntries(fields.map((field) => [field, then[field]])),
}
