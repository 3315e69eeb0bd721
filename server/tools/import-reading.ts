import { dayInJapan } from '../../app/dates/japan.ts'
import { isDay } from '../../app/dates/month.ts'
import type { Box } from '../../app/media/image.ts'
import type { ImportedTimes } from '../../app/records/record.ts'
import type { Author } from '../../app/request.ts'
import { truncate } from '../../app/ui/characters.ts'
import { cleanText } from '../../app/ui/typed-text.ts'
import type { Trx } from '../../db/tables.ts'
import { readJson } from './import-json.ts'

export type Fields = Record<string, unknown>

/** Document of an export. Times are ISO 8601 text. */
export type ImportedDocument = { collection: string; id: string; fields: Fields }

export type Note = (sentence: string) => void

export type ImportContext = {
  trx: Trx
  author: Author
  noteOn: (document: ImportedDocument) => Note
  /** Returns the documents that an earlier run has read. */
  earlier: (collection: string) => ImportedDocument[]
  /** Stores an image. Returns its URL on this site, or '' with a note if the image cannot be stored. */
  storeImage: (url: string, note: Note) => Promise<string>
}

export type DocumentType = {
  /** Field names that identify a document of this type. Undefined if every document of a collection counts. */
  names?: readonly string[]
  /** An image is stored at the largest size that a document needs. */
  imagesOf?: (document: ImportedDocument) => { url: string; box: Box }[]
  importAll: (context: ImportContext, documents: ImportedDocument[]) => Promise<ImportedDocument[]>
}

/** Imports documents one by one. `importOne` returns whether it used the document, or the sentence why it did not. */
export function importEach(
  importOne: (context: ImportContext, document: ImportedDocument, note: Note) => Promise<boolean | string>,
): DocumentType['importAll'] {
  return async (context, documents) => {
    const used: ImportedDocument[] = []
    for (const document of documents) {
      const note = context.noteOn(document)
      const result = await importOne(context, document, note)
      if (typeof result === 'string') note(result)
      else if (result) used.push(document)
    }
    return used
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function shortJson(value: unknown) {
  const json = JSON.stringify(value) ?? 'undefined'
  const beginning = truncate(json, 120)
  return beginning === json ? json : `${beginning}…`
}

export type FieldReader = ReturnType<typeof readerOf>

/** Returns functions that read fields. Notes unreadable values and, if `names` is given, unknown fields. */
export function readerOf(fields: Fields, note: Note = () => {}, names?: readonly string[]) {
  if (names) noteUnknownFields(fields, names, note)

  /** Returns a field as text, or '' if the value is neither a text nor a number. */
  function text(name: string) {
    const value = fields[name]
    if (value === undefined || value === null) return ''
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string') {
      note(`「${name}」が文字ではありません（${shortJson(value)}）。空欄として取り込みます。`)
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
      note(`「${name}」が真偽値ではありません（${shortJson(value)}）。「いいえ」として取り込みます。`)
    return value === true
  }

  return { fields, note, text, texts, flag, times: () => timesIn(fields, note) }
}

export function noteUnknownFields(fields: object, names: readonly string[], note: Note) {
  for (const [name, value] of Object.entries(fields)) {
    if (!names.includes(name)) note(`不明な項目「${name}」があります（${shortJson(value)}）。元の文書にだけ残します。`)
  }
}

const INSTANT =
  /^([1-9]\d{3})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/

/** Returns a time in ISO 8601 and UTC, or null if the value is unreadable. A time without a zone is in Japan. */
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

function timesIn(fields: Fields, note: Note): Partial<ImportedTimes> {
  const found: Partial<ImportedTimes> = {}
  for (const which of ['createdAt', 'updatedAt'] as const) {
    const names = namesOfTimes[which].filter((name) => ![undefined, null, ''].includes(fields[name] as undefined))
    for (const name of names) {
      const instant = instantOf(fields[name])
      if (!instant)
        note(`「${name}」は日時として読めません（${shortJson(fields[name])}）。ないものとして取り込みます。`)
      else if (found[which] && found[which] !== instant)
        note(`「${names.join('」と「')}」が食い違っています。${found[which]} を取り込みます。`)
      else found[which] = instant
    }
  }
  return found
}

export function resolveTimes(
  own: Partial<ImportedTimes>,
  documentTimes: Partial<ImportedTimes>,
  at: string,
): ImportedTimes {
  const { createdAt, updatedAt } = { ...documentTimes, ...own }
  const creation = createdAt ?? updatedAt ?? at
  return { createdAt: creation, updatedAt: updatedAt ?? creation }
}

export function noteUnusedTimes(documentTimes: Partial<ImportedTimes>, own: Partial<ImportedTimes>[], note: Note) {
  for (const which of ['createdAt', 'updatedAt'] as const) {
    if (documentTimes[which] && own.every((times) => times[which]))
      note(`文書の「${which}」（${documentTimes[which]}）は使いません。含まれる項目に、それぞれの日時があります。`)
  }
}

/** Sorts documents by age, newest first. Among equal times, the later document in the file is first. */
export function newestFirst(documents: ImportedDocument[]) {
  return documents
    .toReversed()
    .map((document) => ({ document, age: ageOf(document) }))
    .sort((a, b) => (a.age < b.age ? 1 : a.age > b.age ? -1 : 0))
    .map(({ document }) => document)
}

/** Returns the newest change time, else the newest creation time, else ''. */
export function ageOf({ fields }: ImportedDocument) {
  const things = [fields, ...[parseJsonField(fields.jsonData)].flat()].filter(isObject)
  const newest = (which: keyof typeof namesOfTimes) =>
    things
      .flatMap((thing) => namesOfTimes[which].map((name) => instantOf(thing[name]) ?? ''))
      .sort()
      .at(-1)
  return newest('updatedAt') || newest('createdAt') || ''
}

const DAY = /^(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})日?\s*(?:[（(][日月火水木金土](?:曜日?)?[）)])?$/

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

/** Parses JSON in a field. Returns undefined if the text is invalid. Returns a value of another type unchanged. */
export function parseJsonField(text: unknown, note: Note = () => {}): unknown {
  if (typeof text !== 'string') return text
  try {
    return readJson(text, (_, name, earlier) => note(repeatedNameSentence(name, earlier)))
  } catch {
    return undefined
  }
}

export function repeatedNameSentence(name: string, earlier: unknown) {
  return `項目「${name}」が二つあります。後に書かれているほうを取り込みます（前のほう: ${shortJson(earlier)}）。`
}

export function isUsableId(id: string) {
  return /^[\w-]{1,100}$/.test(id)
}

export function newIdSentence(id: string) {
  return `ID「${id}」は使えないため、新しいIDを付けます。`
}

export function usableId(id: string, note: Note) {
  if (isUsableId(id)) return id
  note(newIdSentence(id))
  return crypto.randomUUID()
}
