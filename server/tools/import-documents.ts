import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isCollectionName } from '../../app/cards/card.ts'
import { cardImport } from './import-cards.ts'
import { eventImport } from './import-events.ts'
import { specialDayImport, weekImport } from './import-hours.ts'
import { readJson } from './import-json.ts'
import { memberImport } from './import-members.ts'
import { noticeImport } from './import-notices.ts'
import { pageImport } from './import-pages.ts'
import {
  ageOf,
  type DocumentType,
  type Fields,
  type ImportedDocument,
  instantOf,
  isObject,
  newestFirst,
  repeatedNameSentence,
  shortJson,
  timeNames,
} from './import-reading.ts'
import { sectionImport } from './import-sections.ts'
import { translationImport } from './import-translations.ts'

const byCollection: Record<string, DocumentType> = {
  sections: sectionImport,
  translations: translationImport,
  pages: pageImport,
  events: eventImport,
  notices: noticeImport,
  members: memberImport,
  bussinessDays: weekImport,
  bussinessDaysSpecial: specialDayImport,
}

/** Document types in the order of their import. Dishes refer to sections, which come first. */
export const documentTypes = [...new Set([sectionImport, cardImport, ...Object.values(byCollection)])]

export function documentTypeOf(collection: string) {
  if (isCollectionName(collection)) return cardImport
  return Object.hasOwn(byCollection, collection) ? (byCollection[collection] ?? null) : null
}

/** File of an export. `path` is its path within the export, and `file` is its path on this machine. */
export type ExportFile = { path: string; file: string }

/** Content of an export. `notKept` counts unreadable and duplicate documents. `oddities` are lines of the report. */
export type Export = { documents: ImportedDocument[]; files: ExportFile[]; oddities: string[]; notKept: number }

/**
 * Reads a Firestore export: a file with all collections, or a folder with a file per collection and the images. A
 * subcollection is named `collection/id/name`. A file of unknown shape contributes no documents. Throws if `path` does
 * not exist.
 */
export function readExport(path: string): Export {
  const found: Export = { documents: [], files: [], oddities: [], notKept: 0 }
  for (const each of statSync(path).isDirectory() ? filesIn(path) : [{ path: basename(path), file: path }]) {
    if (!statSync(each.file, { throwIfNoEntry: false })?.isFile()) found.oddities.push(`${each.path}: 読めません。`)
    else if (/\.json$/i.test(each.path)) readFile(each, found)
    else found.files.push(each)
  }
  return withoutDuplicates(found)
}

// Names that begin with a dot belong to the operating system.
function filesIn(folder: string): ExportFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(folder, file).replaceAll(sep, '/').normalize('NFC'), file }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

// Some tools write a collection both into its own file and into a file with all collections.
function withoutDuplicates({ documents, ...found }: Export): Export {
  const groups = Map.groupBy(documents, ({ collection, id }) => JSON.stringify([collection, id]))
  const kept = [...groups.values()].map((group) => {
    const different = group.filter(
      ({ fields }, position) => !group.slice(0, position).some((other) => isDeepStrictEqual(other.fields, fields)),
    )
    const [newest, ...others] = newestFirst(different) as [ImportedDocument, ...ImportedDocument[]]
    for (const { collection, id, fields } of others) {
      const whichSentence = ageOf(newest) > ageOf({ collection, id, fields }) ? '新しい' : '後に書かれている'
      found.oddities.push(
        `${collection}/${id}: 同じIDの文書が二つあり、内容が違います。${whichSentence}ほうを取り込み、こちらは取り込みません（中身: ${shortJson(fields)}）。`,
      )
    }
    found.notKept += others.length
    return newest
  })
  return { ...found, documents: kept }
}

type Reading = {
  found: Export
  /** Overridden values of repeated names, by object. */
  repeated: Map<object, [string, unknown][]>
}

function readFile({ path, file }: ExportFile, found: Export) {
  const own: Export = { documents: [], files: [], oddities: [], notKept: 0 }
  const reading: Reading = { found: own, repeated: new Map() }
  let json: unknown
  try {
    json = readJson(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)), (object, ...earlier) => {
      reading.repeated.set(object, [...(reading.repeated.get(object) ?? []), earlier])
    })
  } catch (error) {
    const isText = error instanceof SyntaxError
    found.oddities.push(`${path}: ${isText ? 'JSONとして読めません。' : 'UTF-8の文字のファイルとして読めません。'}`)
    return
  }
  const name = basename(path).replace(/\.json$/i, '')
  const isWhole = isObject(json) && isObject(json.__collections__)
  const firefoo = firefooCollectionIn(json)
  const isCollection = documentTypeOf(name) && !isWhole
  const collections =
    firefoo ?? (isCollection ? [[name, json] as const] : isObject(json) ? entriesOf(json, reading) : [])
  if (collections.length === 0) own.oddities.push(`${path}: コレクションが見つかりません。`)
  for (const [collection, content] of collections) readCollection(collection, content, reading)

  const unrecognized = own.documents.find((document) => !isRecognized(document))
  const hasOnlyInvalid = own.documents.length === 0 && own.notKept > 0
  const isForeign = collections.length > 0 && !collections.some(([collection]) => documentTypeOf(collection))
  if (unrecognized || (!isWhole && !firefoo && (hasOnlyInvalid || isForeign))) {
    const content = unrecognized
      ? `${unrecognized.collection}/${unrecognized.id}: ${shortJson(unrecognized.fields)}`
      : shortJson(json)
    found.oddities.push(`${path}: 不明な形式のファイルのため、何も取り込みません（${content}）。`)
    return
  }
  found.documents.push(...own.documents)
  found.oddities.push(...own.oddities)
  found.notKept += own.notKept
}

// Firefoo writes a collection into `data`, and the path of the collection into `meta`.
function firefooCollectionIn(json: unknown): [string, unknown][] | null {
  if (!isObject(json) || !isObject(json.meta) || !isObject(json.data)) return null
  const { app, resourcePath } = json.meta
  const isCollection = app === 'firefoo' && Array.isArray(resourcePath) && resourcePath.length % 2 === 1
  return isCollection ? [[resourcePath.join('/'), json.data]] : null
}

const knownNames = documentTypes
  .flatMap(({ names = [] }) => names)
  .filter((name) => ![...timeNames, 'id'].includes(name))

function isRecognized({ collection, fields }: ImportedDocument) {
  const entries = Object.entries(fields)
  if (!documentTypeOf(collection)?.names || entries.length === 0) return true
  return entries.some(
    ([name, value]) => ['jsonData', 'schedule'].includes(name) || (knownNames.includes(name) && !isObject(value)),
  )
}

// Some tools wrap all collections in `__collections__`.
function entriesOf(object: Fields, { repeated }: Reading): [string, unknown][] {
  return [...(repeated.get(object) ?? []), ...Object.entries(object)].flatMap(([name, value]) =>
    name === '__collections__' && isObject(value) ? entriesOf(value, { repeated } as Reading) : [[name, value]],
  )
}

function readCollection(name: string, content: unknown, reading: Reading) {
  const { oddities } = reading.found
  const collection = clean(name)
  if (collection !== name) oddities.push(`${collection}: コレクションの名前に、使えない文字があります。`)
  if (Array.isArray(content))
    for (const [id, document] of entriesOfList(collection, content, reading))
      readDocument(collection, id, document, reading)
  else if (isObject(content))
    for (const [id, document] of entriesOf(content, reading)) readDocument(collection, id, document, reading)
  else oddities.push(`${collection}: コレクションとして読めません（${shortJson(content)}）。`)
}

function entriesOfList(collection: string, list: unknown[], reading: Reading): [string, unknown][] {
  const ids = list.map((document) =>
    isObject(document) && ['string', 'number'].includes(typeof document.id) ? String(document.id) : '',
  )
  return list.map((document, index) => {
    const id = ids[index]
    if (id && isObject(document)) return [id, unwrap(document, ['id'], reading)]
    let position = `${index + 1}`
    while (ids.includes(position)) position += '-'
    if (!isObject(document)) return [position, document]
    reading.found.oddities.push(
      `${collection}/${position}: IDがありません。一覧の${index + 1}番目なので、このIDで取り込みます。`,
    )
    return [position, unwrap(document, [], reading)]
  })
}

// Some tools wrap a document's fields in `fields` or `data`.
function unwrap(document: Fields, without: string[], { repeated }: Reading): Fields {
  const wrapper = ['fields', 'data'].find((name) => isObject(document[name]))
  const inner = wrapper === undefined ? {} : (document[wrapper] as Fields)
  const outer = Object.entries(document).filter(([name]) => name !== wrapper && !without.includes(name))
  const merged = { ...Object.fromEntries(outer), ...inner }
  const overridden = outer.filter(([name]) => Object.hasOwn(inner, name))
  repeated.set(merged, [...(repeated.get(document) ?? []), ...overridden, ...(repeated.get(inner) ?? [])])
  return merged
}

// In bytes of UTF-8. Firestore allows 1,500 bytes for an ID.
const MAX_KEY_BYTES = 2000

function readDocument(collection: string, givenId: string, document: unknown, reading: Reading) {
  const { found } = reading
  const id = clean(givenId)
  const note = (sentence: string) => void found.oddities.push(`${collection}/${id}: ${sentence}`)
  if (id !== givenId) note('IDに使えない文字があるため、変更しました。')
  const isTooLong = Buffer.byteLength(collection + id) > MAX_KEY_BYTES
  if (!isObject(document) || isTooLong) {
    note(`${isTooLong ? 'IDが長すぎて取り込めません' : '文書として読めません'}（中身: ${shortJson(document)}）。`)
    found.notKept += 1
    return
  }
  noteRepeatedNames(document, note, reading)
  const { __collections__: subcollections, ...own } = document
  const fields = withIsoTimes(isObject(subcollections) ? own : document) as Fields
  found.documents.push({ collection, id, fields })
  if (!isObject(subcollections)) return
  for (const [name, content] of entriesOf(subcollections, reading))
    readCollection(`${collection}/${id}/${name}`, content, reading)
}

function noteRepeatedNames(value: unknown, note: (sentence: string) => void, reading: Reading) {
  if (typeof value !== 'object' || value === null) return
  for (const [name, earlier] of reading.repeated.get(value) ?? []) note(repeatedNameSentence(name, earlier))
  for (const [name, inner] of Object.entries(value))
    if (name !== '__collections__') noteRepeatedNames(inner, note, reading)
}

// PostgreSQL cannot store NUL, and a line of the report must stay one line.
function clean(name: string) {
  return name.toWellFormed().replace(/\p{Cc}/gu, '\ufffd')
}

function withIsoTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIsoTimes)
  if (!isObject(value)) return value
  return (
    timeFrom(value) ?? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withIsoTimes(inner)]))
  )
}

function timeFrom(value: Fields): string | null {
  const names = Object.keys(value).sort().join()
  if (names === '__datatype__,value' && value.__datatype__ === 'timestamp')
    return isObject(value.value) ? timeFrom(value.value) : null
  if (names === '__time__') return instantOf(value.__time__)
  if (!/^(?:_nanoseconds,_seconds|nanoseconds,seconds|_?seconds)$/.test(names)) return null
  const seconds = value._seconds ?? value.seconds
  const nanoseconds = value._nanoseconds ?? value.nanoseconds ?? 0
  if (!Number.isInteger(seconds) || !Number.isInteger(nanoseconds)) return null
  const time = new Date((seconds as number) * 1000 + Math.floor((nanoseconds as number) / 1_000_000))
  return time.getTime() > FIRST_TIME && time.getTime() < LAST_TIME ? time.toISOString() : null
}

// The range of times in Firestore.
const [FIRST_TIME, LAST_TIME] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]
