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
    ['eventDay', '1849-12-31'],
    ['eventDay', '2101-01-01'],
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

  test.each(['1850-01-01', '2100-12-31'])('accepts the event day %s', (eventDay) => {
    expect(cardSchema('vbacreate').parse({ title: '仕事', content: '内容', eventDay })).toMatchObject({ eventDay })
  })

  test('accepts lists of marks and allergens of a dish', () => {
    const lists = { marks: '辛さ1、菜食', allergens: '卵、くるみ' }
    expect(cardSchema('dining').parse({ title: '椀', ...lists })).toMatchObject(lists)
  })

  test.each([
    ['marks', '辛さ1、辛さ3', '辛さは1つだけ選んでください'],
    ['marks', '菜食、木製', '目印を選び直してください'],
    ['allergens', '卵、木', 'アレルギー物質を選び直してください'],
  ])('rejects the %s %j of a dish: %s', (field, list, error) => {
    const read = cardSchema('dining').safeParse({ title: '椀', [field]: list })
    expect(read.error?.issues.map(({ message }) => message)).toEqual([error])
  })

  test('accepts a stored title that is too long now, but no other long title', () => {
    const long = 'あ'.repeat(101)
    const stored = { ...item('a', {}), title: long, content: '' } as Card
    const read = (title: string) => cardSchema('dining', { stored }).safeParse({ title })
    expect(read(long).data).toMatchObject({ title: long })
    expect(read(' 椀 ').data).toMatchObject({ title: '椀' })
    expect(read(`${long}い`).error?.issues.map(({ path, message }) => [path[0], message])).toEqual([
      ['title', '品名は100文字までです'],
    ])
  })

  test('requires the content of a card in the generic form, unless the stored card has none', () => {
    const read = (options: Parameters<typeof cardSchema>[1]) =>
      cardSchema('dining', options)
        .safeParse({ title: '椀', content: '' })
        .error?.issues.map(({ path }) => path[0])
    expect(read({})).toBeUndefined()
    expect(read({ generic: true })).toEqual(['content'])
    expect(read({ generic: true, stored: item('a', { content: '温かい' }) })).toEqual(['content'])
    expect(read({ generic: true, stored: item('a', { content: '' }) })).toBeUndefined()
  })
})
