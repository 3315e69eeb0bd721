import type { Transaction } from 'kysely'
import {
  type CardFields,
  type CollectionName,
  cardSchema,
  collectionOf,
  type Field,
  yenFrom,
} from '../../app/cards/card.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import { videoAddress } from '../../app/media/video.ts'
import type { Times } from '../../app/records/record.ts'
import { cleanUrl, numberFrom } from '../../app/ui/typed-text.ts'
import type { Tables } from '../../db/tables.ts'
import {
  dayFrom,
  dayOf,
  type Fields,
  flagOf,
  type ImportedDocument,
  inShort,
  instantOf,
  isObject,
  isUsableId,
  type Note,
  newIdInWords,
  noteUnknown,
  noteUnused,
  parsed,
  textOf,
  timeNames,
  timesIn,
  timesOf,
} from './import-reading.ts'

export const cardNames = [
  ...['order', 'title', 'content', 'eventday', 'eventdate', 'eventdatestring'],
  ...['selectedYear', 'selectedMonth', 'selectedDay', 'linkUrl', 'youtubeUrl', 'image', 'src', 'imageAlt'],
  ...['portraitImage', 'text1', 'text2', 'text3', 'other', 'price', 'allergens', 'allergensConfirmed', 'draft'],
  ...['soldOutAt', ...timeNames],
]

type Way = { at: string; note: Note; storePicture: (url: string) => Promise<string> }

export async function importCards(trx: Transaction<Tables>, document: ImportedDocument, way: Way) {
  const { fields } = document
  const { at, note } = way
  const isList = fields.jsonData !== undefined
  if (isList) noteUnknown(fields, ['jsonData', ...timeNames], note)
  const around = isList ? timesIn(fields, note) : {}
  const own: Partial<Times>[] = []
  const items = itemsIn(document, note)
  for (const item of items) {
    const { id, ...given } = item
    const times = timesIn(item, note)
    own.push(times)
    const collection = document.collection as CollectionName
    const card = await cardOf(given, collection, way)
    await addCard(
      trx,
      collection,
      card,
      { accountId: null, at },
      {
        id: await freeId(trx, String(id), note),
        other: textOf(item, 'other', note),
        soldOutAt: soldOutAtOf(item, collection, note),
        ...timesOf(times, around, at),
      },
    )
  }
  if (items.length > 0) noteUnused(around, own, note)
  return items.length
}

/** Returns the cards of a document unchanged, but each with an `id`, by default from its position in the list. */
export function itemsIn({ id, fields }: ImportedDocument, note: Note): Fields[] {
  if (fields.jsonData === undefined) return [{ ...fields, id }]
  const read = parsed(fields.jsonData, note)
  const list = Array.isArray(read) ? read : isObject(read) ? [read] : null
  if (!list) {
    note('jsonData を読めません。空の一覧として扱い、文書の控えだけを残します。')
    return []
  }
  return list.flatMap((item, index) => {
    if (!isObject(item)) {
      note(`jsonData の${index + 1}番目を読めません（${inShort(item)}）。文書の控えにだけ残します。`)
      return []
    }
    const isId = ['string', 'number'].includes(typeof item.id)
    if (!isId && item.id !== undefined)
      note(`jsonData の${index + 1}番目の番号を読めません（${inShort(item.id)}）。新しい番号を付けます。`)
    return { ...item, id: isId ? item.id : `${id}-${index + 1}` }
  })
}

export function pictureIn(item: Fields, note: Note) {
  const [image, src] = [textOf(item, 'image', note), textOf(item, 'src', note)]
  if (image && src && image !== src)
    note(`「image」と「src」が食い違っています。「image」を取り込みます（src: ${src}）。`)
  return image || src
}

async function freeId(trx: Transaction<Tables>, wanted: string, note: Note) {
  const usable = isUsableId(wanted)
  const taken = usable && (await trx.selectFrom('cards').select('id').where('id', '=', wanted).executeTakeFirst())
  if (usable && !taken) return wanted
  note(newIdInWords(wanted))
  return crypto.randomUUID()
}

async function cardOf(item: Fields, collection: CollectionName, { note, storePicture }: Way) {
  noteUnknown(item, cardNames, note)
  const text = (name: string) => textOf(item, name, note)
  const has = (name: Field) => (collectionOf(collection).fields as readonly Field[]).includes(name)
  const [title, allergens] = [text('title'), text('allergens')]
  const card: Partial<CardFields> = {
    order: numberOf(item, 'order', note),
    eventDay: eventDayOf(item, has('eventDay'), note),
    title: title || (has('title') ? '（無題）' : ''),
    content: text('content'),
    linkUrl: cleanUrl(text('linkUrl')),
    youtubeUrl: videoAddress(cleanUrl(text('youtubeUrl'))),
    image: await storePicture(pictureIn(item, note)),
    portraitImage: await storePicture(text('portraitImage')),
    imageAlt: text('imageAlt'),
    text1: text('text1'),
    text2: text('text2'),
    text3: text('text3'),
    price: numberOf(item, 'price', note),
    allergens,
    // Older exports have allergens, but no confirmation of them.
    allergensConfirmed: 'allergensConfirmed' in item ? flagOf(item, 'allergensConfirmed', note) : allergens !== '',
    draft: flagOf(item, 'draft', note),
  }
  const { error } = cardSchema(collection).safeParse(card)
  for (const { message, path } of error?.issues ?? []) {
    const isLink = path[0] === 'linkUrl' || path[0] === 'youtubeUrl'
    note(`${message}（そのまま取り込みます${isLink ? '。リンクは、直すまで働きません' : ''}）`)
  }
  if (!title && card.title) note('タイトルがありません。「（無題）」として取り込みます。')
  return card
}

// Maximum of the database's integer column.
const MAX_YEN = 2 ** 31 - 1

function numberOf(item: Fields, name: 'order' | 'price', note: Note) {
  const value = item[name] ?? null
  const read = name === 'price' ? yenFrom(value) : numberFrom(value)
  if (read === null) return null
  const isNumber = typeof read === 'number' && Number.isFinite(read)
  if (isNumber && (name === 'order' || (Number.isInteger(read) && Math.abs(read) <= MAX_YEN))) return read
  note(`「${name}」が${isNumber ? '円の' : ''}数字ではありません（${inShort(value)}）。空として取り込みます。`)
  return null
}

function soldOutAtOf({ soldOutAt }: Fields, collection: CollectionName, note: Note) {
  const instant = collection === 'dining' ? instantOf(soldOutAt) : null
  if (!instant && soldOutAt !== undefined && soldOutAt !== null)
    note(`「soldOutAt」（${inShort(soldOutAt)}）は、お料理の日時ではないため取り込みません。`)
  return instant
}

function eventDayOf(item: Fields, dated: boolean, note: Note) {
  const isThere = (value: unknown) => value !== undefined && value !== null && value !== ''
  const { selectedYear, selectedMonth, selectedDay } = item
  const selected = [selectedYear, selectedMonth, selectedDay]
  const said = [
    ['eventdate', item.eventdate, dayFrom(item.eventdate)],
    ['eventday', item.eventday, dayFrom(item.eventday)],
    [
      'selectedYear・Month・Day',
      selected.some(isThere) ? selected : null,
      dayOf(...(selected as [unknown, unknown, unknown])),
    ],
    ['eventdatestring', item.eventdatestring, dayFrom(item.eventdatestring)],
  ] as const
  for (const [name, value, day] of said) {
    if (isThere(value) && !day) note(`「${name}」は日付として読めません（${inShort(value)}）。`)
  }
  const days = said.flatMap(([, , day]) => day ?? [])
  const [first] = days
  if (!first && dated) note('日付がありません。日付のないものとして取り込みます。')
  if (new Set(days).size > 1)
    note(`日付が食い違っています（${[...new Set(days)].join('、')}）。${first} として取り込みます。`)
  return first ?? null
}
