import {
  type CardFields,
  type CollectionName,
  cardSchema,
  collectionOf,
  type Field,
  normalizeVideoUrl,
} from '../../app/cards/card.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import { readPrices, storePrices } from '../../app/cards/typed-prices.ts'
import type { ImportedTimes } from '../../app/records/record.ts'
import { DisplayTimes } from '../../app/sections/display-rules.ts'
import { readSection } from '../../app/sections/sections.server.ts'
import { cleanUrl, numberFrom } from '../../app/ui/typed-text.ts'
import type { Trx } from '../../db/tables.ts'
import {
  type DocumentType,
  dayFrom,
  dayOf,
  type FieldReader,
  type Fields,
  type ImportContext,
  type ImportedDocument,
  importEach,
  instantOf,
  isObject,
  isUsableId,
  type Note,
  newIdSentence,
  noteUnusedTimes,
  parseJsonField,
  readerOf,
  resolveTimes,
  shortJson,
  timeNames,
} from './import-reading.ts'

const texts = ['content', 'imageAlt', 'text1', 'text2', 'text3'] as const

const names = [
  ...['order', 'title', ...texts, 'eventday', 'eventdate', 'eventdatestring'],
  ...['selectedYear', 'selectedMonth', 'selectedDay', 'linkUrl', 'youtubeUrl', 'image', 'src', 'portraitImage'],
  ...['other', 'price', 'marks', 'allergens', 'allergensConfirmed', 'draft', 'soldOutAt', ...timeNames],
  ...['section', 'shownFrom', 'shownUntil'],
]

export const cardImport: DocumentType = {
  names,
  imagesOf: (document) => {
    const box = document.collection === 'home' ? 'screen' : 'card'
    return itemsIn(document).flatMap((fields) => {
      const card = readerOf(fields)
      return [
        { url: imageUrlOf(card), box },
        { url: card.text('portraitImage'), box: 'portrait' },
      ]
    })
  },
  importAll: importEach(async (context, document, note) => {
    const { trx, author } = context
    const collection = document.collection as CollectionName
    const isList = document.fields.jsonData !== undefined
    const documentTimes = readerOf(isList ? document.fields : {}, note, ['jsonData', ...timeNames]).times()
    const itemTimes: Partial<ImportedTimes>[] = []
    const items = itemsIn(document, note)
    for (const { id, ...fields } of items) {
      const item = readerOf(fields, note, names)
      const times = item.times()
      itemTimes.push(times)
      await addCard(trx, collection, await cardOf(item, collection, context), author, {
        id: await freeId(trx, String(id), note),
        other: item.text('other'),
        soldOutAt: soldOutAtOf(fields, collection, note),
        ...resolveTimes(times, documentTimes, author.at),
      })
    }
    if (items.length > 0) noteUnusedTimes(documentTimes, itemTimes, note)
    return items.length > 0
  }),
}

// Adds an `id` to each item, by default from its position in the list.
function itemsIn({ id, fields }: ImportedDocument, note: Note = () => {}): Fields[] {
  if (fields.jsonData === undefined) return [{ ...fields, id }]
  const read = parseJsonField(fields.jsonData, note)
  const list = Array.isArray(read) ? read : isObject(read) ? [read] : null
  if (!list) {
    note('jsonData を読めません。空の一覧として扱い、元の文書だけを保存します。')
    return []
  }
  return list.flatMap((item, index) => {
    if (!isObject(item)) {
      note(`jsonData の${index + 1}番目を読めません（${shortJson(item)}）。元の文書にだけ残します。`)
      return []
    }
    const isId = ['string', 'number'].includes(typeof item.id)
    if (!isId && item.id !== undefined)
      note(`jsonData の${index + 1}番目のIDを読めません（${shortJson(item.id)}）。新しいIDを付けます。`)
    return { ...item, id: isId ? item.id : `${id}-${index + 1}` }
  })
}

function imageUrlOf(item: FieldReader) {
  const { image, src } = item.texts(['image', 'src'])
  if (image && src && image !== src)
    item.note(`「image」と「src」が食い違っています。「image」を取り込みます（src: ${src}）。`)
  return image || src
}

async function freeId(trx: Trx, wanted: string, note: Note) {
  const isUsable = isUsableId(wanted)
  const isTaken = isUsable && (await trx.selectFrom('cards').select('id').where('id', '=', wanted).executeTakeFirst())
  if (isUsable && !isTaken) return wanted
  note(newIdSentence(wanted))
  return crypto.randomUUID()
}

async function cardOf(item: FieldReader, collection: CollectionName, { trx, storeImage }: ImportContext) {
  const { fields, note } = item
  const has = (name: Field) => (collectionOf(collection).fields as readonly Field[]).includes(name)
  const { title, marks, allergens, linkUrl, youtubeUrl } = item.texts([
    ...(['title', 'marks', 'allergens', 'linkUrl', 'youtubeUrl'] as const),
  ])
  const card: Partial<CardFields> = {
    ...item.texts(texts),
    order: orderOf(fields, note),
    eventDay: eventDayOf(fields, has('eventDay'), note),
    title: title || (has('title') ? '（無題）' : ''),
    linkUrl: cleanUrl(linkUrl),
    youtubeUrl: normalizeVideoUrl(cleanUrl(youtubeUrl)),
    image: await storeImage(imageUrlOf(item), note),
    portraitImage: await storeImage(item.text('portraitImage'), note),
    price: priceOf(fields, note),
    marks,
    allergens,
    // Older exports have allergens, but no confirmation of them.
    allergensConfirmed: 'allergensConfirmed' in fields ? item.flag('allergensConfirmed') : allergens !== '',
    draft: item.flag('draft'),
    section: await sectionOf(item, trx),
    ...displayOf(item),
  }
  const { error } = cardSchema(collection).safeParse(card)
  for (const { message, path } of error?.issues ?? []) {
    const isLink = path[0] === 'linkUrl' || path[0] === 'youtubeUrl'
    note(`${message}（そのまま取り込みます${isLink ? '。リンクは、直すまで使えません' : ''}）`)
  }
  if (!title && card.title) note('タイトルがありません。「（無題）」として取り込みます。')
  return card
}

async function sectionOf({ text, note }: FieldReader, trx: Trx) {
  const id = text('section')
  if (!id || (await readSection(trx, id))) return id
  note(`分類（${shortJson(id)}）が見つかりません。分類のないものとして取り込みます。`)
  return ''
}

function displayOf({ texts, note }: FieldReader) {
  const display = texts(['shownFrom', 'shownUntil'])
  const read = DisplayTimes.safeParse(display)
  if (read.success) return read.data
  note(`表示する期間（${shortJson(display)}）を読めません。期間のないものとして取り込みます。`)
  return {}
}

function orderOf({ order = null }: Fields, note: Note) {
  const read = numberFrom(order)
  if (read === null || (typeof read === 'number' && Number.isFinite(read))) return read
  note(`「order」が数字ではありません（${shortJson(order)}）。空欄として取り込みます。`)
  return null
}

function priceOf({ price = null }: Fields, note: Note) {
  if (price === null) return ''
  const prices = typeof price === 'string' || typeof price === 'number' ? readPrices(String(price)) : null
  if (prices) return storePrices(prices)
  note(`「price」が価格ではありません（${shortJson(price)}）。空欄として取り込みます。`)
  return ''
}

function soldOutAtOf({ soldOutAt }: Fields, collection: CollectionName, note: Note) {
  const instant = collection === 'dining' ? instantOf(soldOutAt) : null
  if (!instant && soldOutAt !== undefined && soldOutAt !== null)
    note(`「soldOutAt」（${shortJson(soldOutAt)}）は、お料理の日時ではないため取り込みません。`)
  return instant
}

function eventDayOf(item: Fields, isDated: boolean, note: Note) {
  const isPresent = (value: unknown) => value !== undefined && value !== null && value !== ''
  const { selectedYear, selectedMonth, selectedDay } = item
  const selected = [selectedYear, selectedMonth, selectedDay]
  const sources = [
    ['eventdate', item.eventdate, dayFrom(item.eventdate)],
    ['eventday', item.eventday, dayFrom(item.eventday)],
    [
      'selectedYear・Month・Day',
      selected.some(isPresent) ? selected : null,
      dayOf(...(selected as [unknown, unknown, unknown])),
    ],
    ['eventdatestring', item.eventdatestring, dayFrom(item.eventdatestring)],
  ] as const
  for (const [name, value, day] of sources) {
    if (isPresent(value) && !day) note(`「${name}」は日付として読めません（${shortJson(value)}）。`)
  }
  const days = sources.flatMap(([, , day]) => day ?? [])
  const [first] = days
  if (!first && isDated) note('日付がありません。日付のないものとして取り込みます。')
  if (new Set(days).size > 1)
    note(`日付が食い違っています（${[...new Set(days)].join('、')}）。${first} として取り込みます。`)
  return first ?? null
}
