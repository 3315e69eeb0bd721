import type { Transaction } from 'kysely'
import {
  type CardFields,
  type CollectionName,
  cardSchema,
  collections,
  type Field,
  yenFrom,
} from '../../app/cards/card.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import { videoAddress } from '../../app/media/video.ts'
import type { Tables } from '../../db/tables.ts'
import type { ImportedDocument } from './import-documents.ts'
import { dayFrom, dayOf, instantOf, type Note, noteUnknown, parsed, textOf } from './import-reading.ts'

type Fields = ImportedDocument['fields']

const names = [
  ...['id', 'order', 'title', 'content', 'eventday', 'eventdate', 'eventdatestring'],
  ...['selectedYear', 'selectedMonth', 'selectedDay', 'linkUrl', 'youtubeUrl', 'image', 'src', 'imageAlt'],
  ...['text1', 'text2', 'text3', 'other', 'price', 'allergens', 'draft', 'soldOutAt', 'version'],
  ...['created_at', 'updated_at', 'createdAt', 'updatedAt', 'jsonData'],
]

/** Adds the cards of a document: one, or a list of them in `jsonData`. Returns how many. */
export async function importCards(
  trx: Transaction<Tables>,
  { collection, id, fields }: ImportedDocument,
  { at, pictureAt, note }: { at: string; pictureAt: (url: string) => string | undefined; note: Note },
) {
  const items = fields.jsonData === undefined ? [fields] : itemsIn(fields, id, note)
  for (const item of items) {
    const given = cardOf(item, collection as CollectionName, pictureAt, note)
    const createdAt = instantOf(item.created_at ?? item.createdAt) ?? at
    const updatedAt = instantOf(item.updated_at ?? item.updatedAt) ?? createdAt
    const wanted = items.length === 1 && fields.jsonData === undefined ? id : String(item.id)
    const own = { id: await freeId(trx, wanted, note), other: textOf(item, 'other', note), createdAt, updatedAt }
    await addCard(trx, collection as CollectionName, given, { accountId: null, at }, own)
  }
  return items.length
}

// An entry without an id of its own is known by its place.
function itemsIn({ jsonData }: Fields, id: string, note: Note): Fields[] {
  const read = parsed(jsonData)
  const list = Array.isArray(read) ? read : typeof read === 'object' && read !== null ? [read] : null
  if (!list) {
    note('jsonData を読めません。空の一覧として扱い、文書の控えだけを残します。')
    return []
  }
  return list.flatMap((item, index) => {
    if (typeof item === 'object' && item !== null) return [{ id: `${id}-${index + 1}`, ...item } as Fields]
    note(`jsonData の${index + 1}番目を読めません。文書の控えにだけ残します。`)
    return []
  })
}

async function freeId(trx: Transaction<Tables>, wanted: string, note: Note) {
  const taken = await trx.selectFrom('cards').select('id').where('id', '=', wanted).executeTakeFirst()
  if (!taken && /^[\w-]{1,100}$/.test(wanted)) return wanted
  note(`番号「${wanted}」は使えないため、新しい番号を付けます。`)
  return crypto.randomUUID()
}

function cardOf(
  item: Fields,
  collection: CollectionName,
  pictureAt: (url: string) => string | undefined,
  note: Note,
): Partial<CardFields> {
  noteUnknown(item, names, note)
  const text = (name: string) => textOf(item, name, note)
  const has = (name: Field) => (collections[collection].fields as readonly Field[]).includes(name)
  const card: Partial<CardFields> = {
    order: numberOf(item, 'order', note),
    eventDay: eventDayOf(item, has('eventDay'), note),
    title: text('title'),
    content: text('content'),
    linkUrl: text('linkUrl'),
    youtubeUrl: videoAddress(text('youtubeUrl')),
    image: imageOf(text('image') || text('src'), pictureAt, note),
    imageAlt: text('imageAlt'),
    text1: text('text1'),
    text2: text('text2'),
    text3: text('text3'),
    price: numberOf(item, 'price', note),
    allergens: text('allergens'),
    draft: item.draft === true,
  }
  if (has('title') && !card.title) card.title = '（無題）'
  const { error } = cardSchema(collection).safeParse(card)
  for (const { message } of error?.issues ?? [])
    note(`${message}（そのまま取り込みます。リンクは、直すまで働きません）`)
  if (!text('title') && card.title) note('タイトルがありません。「（無題）」として取り込みます。')
  return card
}

function numberOf(item: Fields, name: 'order' | 'price', note: Note) {
  const value = item[name]
  if (value === undefined || value === null || value === '') return null
  const number = Number(name === 'price' ? yenFrom(value) : value)
  if (typeof value !== 'boolean' && Number.isFinite(number)) return number
  note(`「${name}」が数字ではありません（${JSON.stringify(value)}）。空として取り込みます。`)
  return null
}

function eventDayOf(item: Fields, dated: boolean, note: Note) {
  const { selectedYear, selectedMonth, selectedDay } = item
  const selected = [selectedYear, selectedMonth, selectedDay].every(
    (part) => part !== undefined && part !== null && part !== '',
  )
  const said = [
    ['eventdate', item.eventdate, dayFrom(item.eventdate)],
    ['eventday', item.eventday, dayFrom(item.eventday)],
    ['selectedYear・Month・Day', selected || null, selected ? dayOf(selectedYear, selectedMonth, selectedDay) : null],
    ['eventdatestring', item.eventdatestring, dayFrom(item.eventdatestring)],
  ] as const
  for (const [name, value, day] of said) {
    if (value !== undefined && value !== null && value !== '' && !day) note(`「${name}」は日付として読めません。`)
  }
  const days = said.flatMap(([, , day]) => day ?? [])
  const [first] = days
  if (!first && dated) note('日付がありません。日付のないものとして取り込みます。')
  if (new Set(days).size > 1)
    note(`日付が食い違っています（${[...new Set(days)].join('、')}）。${first} として取り込みます。`)
  return first ?? null
}

function imageOf(url: string, pictureAt: (url: string) => string | undefined, note: Note) {
  if (!url) return ''
  const stored = pictureAt(url)
  if (stored === undefined) note(`写真「${url.slice(0, 200)}」が見つかりません。写真なしで取り込みます。`)
  return stored ?? ''
}
