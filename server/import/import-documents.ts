import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { collectionNames } from '../../app/cards/card.ts'

/** A document of the old site: its collection, its id, its fields with times as ISO 8601 text. */
export type ImportedDocument = { collection: string; id: string; fields: Record<string, unknown> }

/** What an export holds: its documents, its pictures by their file names, and what could not be read of it. */
export type Export = { documents: ImportedDocument[]; pictures: Map<string, string>; unreadable: string[] }

/** The collections that an export may have. */
export const known: readonly string[] = [
  ...collectionNames,
  'members',
  'events',
  'bussinessDays',
  'bussinessDaysSpecial',
]

/**
 * Reads an export of Firestore from a file with all collections, or from a folder with a file for each and the pictures
 * beside them. Documents may be a list, or an object by their ids. Throws where there is nothing to read, or where two
 * documents of one id differ.
 */
export function readExport(path: string): Export {
  const files = statSync(path).isDirectory() ? filesIn(path) : [path]
  const found: Export = { documents: [], pictures: new Map(), unreadable: [] }
  for (const file of files) {
    if (/\.(?:jpe?g|png|webp|avif|gif)$/i.test(file)) found.pictures.set(basename(file).toLowerCase(), file)
    else if (file.endsWith('.json')) readFile(file, found)
  }
  return { ...found, documents: eachOnce(found.documents) }
}

// Some tools write a collection into a file of its own and into one with everything.
function eachOnce(documents: ImportedDocument[]) {
  const read = new Map<string, string>()
  return documents.filter(({ collection, id, fields }) => {
    const [key, text] = [JSON.stringify([collection, id]), JSON.stringify(fields)]
    const earlier = read.get(key)
    read.set(key, text)
    if (earlier !== undefined && earlier !== text)
      throw new Error(`同じ番号の文書が二つあり、内容が違います（${collection}/${id}）。どちらかを取り除いてください。`)
    return earlier === undefined
  })
}

function filesIn(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function readFile(file: string, { documents, unreadable }: Export) {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    unreadable.push(`${basename(file)}: JSONとして読めません。`)
    return
  }
  const name = basename(file, '.json')
  const whole = unwrapped(json)
  const byCollection = known.includes(name) ? { [name]: whole } : isObject(whole) ? whole : {}
  if (Object.keys(byCollection).length === 0) unreadable.push(`${basename(file)}: コレクションが見つかりません。`)
  for (const [collection, content] of Object.entries(byCollection)) {
    for (const [id, fields] of documentsIn(unwrapped(content))) {
      if (isObject(fields)) documents.push({ collection, id, fields: plain(fields) as ImportedDocument['fields'] })
      else unreadable.push(`${collection}/${id}: 文書として読めません。`)
    }
  }
}

// Some tools put everything under a name of their own.
function unwrapped(json: unknown) {
  return isObject(json) && isObject(json.__collections__) ? json.__collections__ : json
}

function documentsIn(content: unknown): [string, unknown][] {
  if (!Array.isArray(content)) return isObject(content) ? Object.entries(content) : []
  return content.map((document, index) => {
    if (!isObject(document)) return [`${index + 1}`, document]
    const { id = `${index + 1}`, fields, data, ...own } = document
    const inner = [fields, data].find(isObject)
    return [String(id), inner ?? own]
  })
}

// A time of Firestore as ISO 8601 text; whatever else as it is.
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  if (value.__datatype__ === 'timestamp') return plain(value.value)
  const seconds = value._seconds ?? value.seconds
  const instant = typeof seconds === 'number' ? new Date(seconds * 1000) : null
  if (instant && Object.keys(value).length <= 2 && !Number.isNaN(instant.getTime())) return instant.toISOString()
  const own = Object.entries(value).filter(([name]) => name !== '__collections__')
  return Object.fromEntries(own.map(([name, inner]) => [name, plain(inner)]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
