import { describe, expect, test } from 'vitest'
import { type Card, type CollectionName, cardSchema, collectionNames, collections, compareItems } from './card.ts'

const item = (id: string, fields: Partial<Card>) =>
  ({ id, createdAt: '2026-01-01T00:00:00Z', order: null, eventDay: null, ...fields }) as Card
const sorted = (by: 'order' | 'event day', items: Card[]) =>
  items
    .sort(compareItems(by))
    .map(({ id }) => id)
    .join('')

describe('compareItems', () => {
  test('sorts dishes by numeric position, with missing positions last', () => {
    const items = [item('d', {}), item('c', { order: 10 }), item('b', { order: 9 }), item('a', { order: -1.5 })]
    expect(sorted('order', items)).toBe('abcd')
  })

  test('sorts introduction cards by event day, position and creation time', () => {
    const items = [
      item('e', {}),
      item('d', { eventDay: '2026-02-01', createdAt: '2026-01-02T00:00:00Z' }),
      item('c', { eventDay: '2026-02-01' }),
      item('b', { eventDay: '2026-02-01', order: 1 }),
      item('a', { eventDay: '1999-12-31', order: 99 }),
    ]
    expect(sorted('event day', items)).toBe('abcde')
  })
})

describe('cardSchema', () => {
  test('requires a title and content for a card, but only a name for a dish', () => {
    const errorsOf = (collection: CollectionName) =>
      cardSchema(collection)
        .safeParse({ title: '　', content: ' ' })
        .error?.issues.map(({ path, message }) => [path[0], message])
    const title = ['title', 'タイトルを入力してください']
    const content = ['content', '内容を入力してください']
    for (const name of collectionNames.filter((each) => each !== 'home' && each !== 'dining'))
      expect(errorsOf(name), name).toEqual([title, content])
    expect(errorsOf('p-about')).toEqual([title, content])
    expect(errorsOf('dining')).toEqual([['title', '品名を入力してください']])
  })

  test('requires a first line and an image for a slide', () => {
    const read = cardSchema('home').safeParse({ text1: '', image: '' })
    expect(read.error?.issues.map(({ path }) => path[0])).toEqual(['text1', 'image'])
    expect(cardSchema('home').safeParse({ text1: '笑顔', image: '/art/a-800.jpg' }).success).toBe(true)
  })

  test('removes fields that the collection does not have', () => {
    const read = cardSchema('dining').parse({
      title: '椀',
      content: '温かい',
      youtubeUrl: 'x',
      id: 'mine',
      version: 9,
    })
    expect(Object.keys(read).sort()).toEqual([...collections.dining.fields].sort())
  })

  test.each([
    ['linkUrl', 'javascript:alert(1)'],
    ['eventDay', '2026-02-29'],
    ['eventDay', '2026-2-9'],
    ['order', Number.NaN],
    ['title', 'あ'.repeat(101)],
  ])('rejects an invalid %s: %j', (field, value) => {
    const fields = { title: '仕事', content: '内容', [field]: value }
    expect(
      cardSchema('vbacreate')
        .safeParse(fields)
        .error?.issues.map(({ path }) => path[0]),
    ).toEqual([field])
  })
})
