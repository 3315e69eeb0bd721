import type { Transaction } from 'kysely'
import { dayInJapan } from '../../app/dates/japan.ts'
import { isDay } from '../../app/dates/month.ts'
import type { Box } from '../../app/media/image.ts'
import type { Times } from '../../app/records/record.ts'
import type { Author } from '../../app/request.ts'
import { truncate } from '../../app/ui/characters.ts'
import { cleanText } from '../../app/ui/typed-text.ts'
import type { Tables } from '../../db/tables.ts'
import { readJson } from './import-json.ts'

export type Fields = Record<string, unknown>

/** Document of the old site, with times as ISO 8601 text. */
export type ImportedDocument = { collection: string; id: string; fields: Fields }

export type Note = (sentence: string) => void

/** Context of a run of the import, for all kinds of documents. */
export type Importing = {
  trx: Transaction<Tables>
  author: Author
  noteOn: (document: ImportedDocument) => Note
  /** Returns the documents of a collection that an earlier run has read. */
  earlier: (collection: string) => ImportedDocument[]
  /** Stores an image and returns its URL on this site, or '' with a note if there is none. */
  storePicture: (url: string, note: Note) => Promise<string>
}

/** A kind of document: the fields that it may have, and its import, which returns the documents that it used. */
export type ImportedKind = {
  names: readonly string[]
  /** Returns the images of a document. An image is stored at the largest size that a document needs. */
  picturesOf?: (document: ImportedDocument) => { url: string; box: Box }[]
  importAll: (importing: Importing, documents: ImportedDocument[]) => Promise<ImportedDocument[]>
}

/** Imports documents one after the other. `importOne` returns whether it used the document. */
export function oneByOne(
  importOne: (importing: Importing, document: ImportedDocument, note: Note) => Promise<boolean>,
): ImportedKind['importAll'] {
  return async (importing, documents) => {
    const used: ImportedDocument[] = []
    for (const document of documents)
      if (await importOne(importing, document, importing.noteOn(document))) used.push(document)
    return used
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value as JSON for the report, truncated if long. */
export function inShort(value: unknown) {
  const json = JSON.stringify(value) ?? 'undefined'
  const beginning = truncate(json, 120)
  return beginning === json ? json : `${beginning}…`
}

export type FieldReader = ReturnType<typeof readerOf>

/** Reads the fields of an object, notes unreadable values, and notes the fields that are not among `names`. */
export function readerOf(fields: Fields, note: Note = () => {}, names?: readonly string[]) {
  if (names) noteUnknown(fields, names, note)

  /** Returns a text or number field as text, and '' for other values. */
  function text(name: string) {
    const value = fields[name]
    if (value === undefined || value === null) return ''
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string') {
      note(`「${name}」が文字ではありません（${inShort(value)}）。空欄として取り込みます。`)
      return ''
    }
    // PostgreSQL stores no NUL, and UTF-8 has no lone surrogates.
    const usable = value.toWellFormed().replaceAll('\0', '')
    if (usable !== value) note(`「${name}」に、文字として使えないものがあります。それを除いて取り込みます。`)
    return cleanText(usable)
  }

  function texts<Name extends string>(names: readonly Name[]) {
    return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>
  }

  function flag(name: string) {
    const value = fields[name] ?? false
    if (typeof value !== 'boolean')
      note(`「${name}」が真偽値ではありません（${inShort(value)}）。「いいえ」として取り込みます。`)
    return value === true
  }

  return { fields, note, text, texts, flag, times: () => timesIn(fields, note) }
}

/** Notes fields that the specification does not define. Only the stored copy of the document contains them. */
export function noteUnknown(fields: object, names: readonly string[], note: Note) {
  for (const [name, value] of Object.entries(fields)) {
    if (!names.includes(name)) note(`不明な項目「${name}」があります（${inShort(value)}）。元の文書にだけ残します。`)
  }
}

const INSTANT =
  /^([1-9]\d{3})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/

/** Returns ISO 8601 in UTC, or null if the value is not a time. A time without a zone is in Japan. */
export function instantOf(value: unknown) {
  const parts = typeof value === 'string' ? (INSTANT.exec(value.trim()) ?? []) : []
  const [, year, month, date, hour = '0', minute = '00', second = '00', fraction = '', zone = '+0900'] = parts
  const day = dayOf(year, month, date)
  const time = `${hour.padStart(2, '0')}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const instant = day ? Date.parse(`${day}T${time}${zone.replace(/(\d{2}):?(\d{2})$/, '$1:$2')}`) : Number.NaN
  return Number.isNaN(instant) ? null : new Date(instant).toISOString()
}

const namesOfTimes = { createdAt: ['createdAt', 'created_at'], updatedAt: ['updatedAt', 'updated_at'] } as const

export const timeNames: readonly string[] = Object.values(namesOfTimes).flat()

// Returns the times of creation and change. Notes values that are unreadable or contradict each other.
function timesIn(fields: Fields, note: Note): Partial<Times> {
  const found: Partial<Times> = {}
  for (const which of ['createdAt', 'updatedAt'] as const) {
    const names = namesOfTimes[which].filter((name) => ![undefined, null, ''].includes(fields[name] as undefined))
    for (const name of names) {
      const instant = instantOf(fields[name])
      if (!instant) note(`「${name}」は日時として読めません（${inShort(fields[name])}）。ないものとして取り込みます。`)
      else if (found[which] && found[which] !== instant)
        note(`「${names.join('」と「')}」が食い違っています。${found[which]} を取り込みます。`)
      else found[which] = instant
    }
  }
  return found
}

export function timesOf(own: Partial<Times>, around: Partial<Times>, at: string): Times {
  const { createdAt, updatedAt } = { ...around, ...own }
  const made = createdAt ?? updatedAt ?? at
  return { createdAt: made, updatedAt: updatedAt ?? made }
}

/** Notes the times of a document that are unused because all its entries have their own. */
export function noteUnused(around: Partial<Times>, own: Partial<Times>[], note: Note) {
  for (const which of ['createdAt', 'updatedAt'] as const) {
    if (around[which] && own.every((times) => times[which]))
      note(`文書の「${which}」（${around[which]}）は使いません。含まれる項目に、それぞれの日時があります。`)
  }
}

/** Sorts documents by change time, newest first. Among equals, the one further down in the file is first. */
export function newestFirst(documents: ImportedDocument[]) {
  return documents
    .toReversed()
    .map((document) => ({ document, age: ageOf(document) }))
    .sort((a, b) => (a.age < b.age ? 1 : a.age > b.age ? -1 : 0))
    .map(({ document }) => document)
}

/** Returns the newest change time in a document, else its newest creation time, else ''. */
export function ageOf({ fields }: ImportedDocument) {
  const things = [fields, ...[parsed(fields.jsonData)].flat()].filter(isObject)
  const newest = (which: keyof typeof namesOfTimes) =>
    things
      .flatMap((thing) => namesOfTimes[which].map((name) => instantOf(thing[name]) ?? ''))
      .sort()
      .at(-1)
  return newest('updatedAt') || newest('createdAt') || ''
}

const DAY = /^(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})日?\s*(?:[（(][日月火水木金土](?:曜日?)?[）)])?$/

/** Returns a day from any format of the old site, or null if the value is not a day. */
export function dayFrom(value: unknown) {
  if (typeof value !== 'string') return null
  const [, year, month, date] = DAY.exec(value.trim()) ?? []
  if (year) return dayOf(year, month, date)
  const instant = /^\d{4}-\d{2}-\d{2}T/.test(value) ? instantOf(value) : null
  return instant && dayInJapan(Date.parse(instant))
}

export function dayOf(year: unknown, month: unknown, date: unknown) {
  const text = (part: unknown) => (typeof part === 'number' || typeof part === 'string' ? `${part}` : '')
  const day = [text(year).padStart(4, '0'), ...[month, date].map((part) => text(part).padStart(2, '0'))].join('-')
  return isDay(day) ? day : null
}

/** Parses a field that holds JSON text. Returns other values unchanged, or undefined if the text is invalid. */
export function parsed(text: unknown, note: Note = () => {}): unknown {
  if (typeof text !== 'string') return text
  try {
    return readJson(text, (_, name, earlier) => note(twiceInWords(name, earlier)))
  } catch {
    return undefined
  }
}

export function twiceInWords(name: string, earlier: unknown) {
  return `項目「${name}」が二つあります。後に書かれているほうを取り込みます（前のほう: ${inShort(earlier)}）。`
}

/** Whether an old ID is usable here: URLs contain IDs. */
export function isUsableId(id: string) {
  return /^[\w-]{1,100}$/.test(id)
}

export function newIdInWords(id: string) {
  return `ID「${id}」は使えないため、新しいIDを付けます。`
}

/** Returns the ID if it is usable here, else a new one. */
export function usableId(id: string, note: Note) {
  if (isUsableId(id)) return id
  note(newIdInWords(id))
  return crypto.randomUUID()
}
