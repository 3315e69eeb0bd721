import { expect, test } from 'vitest'
import { type Card, type CollectionName, collectionOf } from './card.ts'
import { editLinkState } from './editing.ts'

test.each([
  ['videoproduction', ['order', 'eventday', 'title', 'content', 'youtubeUrl']],
  ['municipalarchitect', ['order', 'eventday', 'title', 'content', 'linkUrl', 'youtubeUrl', 'image']],
  ['home', ['order', 'text1', 'text2', 'text3', 'linkUrl', 'image']],
] as [CollectionName, string[]][])(
  'returns the navigation state for %s with the field names of the specification',
  (name, fields) => {
    const editing = { collection: name, fields: collectionOf(name).fields, mayEdit: true, seesPencils: true }
    expect(editLinkState({ posttitle: '題', editing })).toEqual({
      posttitle: '題',
      databasename: name,
      targetitems: fields,
    })
  },
)

test('returns the navigation state for an item with the item and its collection', () => {
  const editing = { collection: 'webdesign', fields: [], mayEdit: true, seesPencils: true } as const
  const item = { id: '1', collection: 'webdesignincludebackend' } as Card
  expect(editLinkState({ posttitle: '題', editing }, item)).toEqual({
    posttitle: '題',
    databasename: 'webdesignincludebackend',
    targetitems: [],
    targetData: item,
  })
})
