import { isDeepStrictEqual } from 'node:util'
import type { Kysely, Transaction } from 'kysely'
import { siteUses } from '../../app/owner/site-uses.ts'
import type { PageName } from '../../app/pages/page.ts'
import { readPageToEdit, savePage } from '../../app/pages/pages.server.ts'
import { lock } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Export, kindOf, kinds } from './import-documents.ts'
import { type Pictures, readyPictures } from './import-pictures.ts'
import { type ImportedDocument, type Importing, inShort } from './import-reading.ts'

/** Documents by outcome, with `documents` as their sum, and oddities as `collection/id: sentence`. */
export type ImportReport = {
  documents: number
  stored: number
  already: number
  leftOut: number
  notKept: number
  oddities: string[]
}

type Options = { dryRun: boolean; now: number; onProgress?: (sentence: string) => void }

class DryRun extends Error {}

/**
 * Imports the documents and images of an older site in one transaction. A dry run reports the same and rolls back.
 * Every document is also stored unchanged, so that none is lost and a second run has nothing to do.
 */
export async function importExport(
  db: Kysely<Tables>,
  { documents, files, oddities: found, notKept }: Export,
  { dryRun, now, onProgress = () => {} }: Options,
): Promise<ImportReport> {
  const at = new Date(now).toISOString()
  const oddities = [...found]
  const before = await readKept(db)
  const fresh = documents.filter((document) => !before.has(keyOf(document)))
  // An image takes a second to encode, so this runs before the transaction, which blocks saves.
  const pictures = await readyPictures(documents, { fresh, files, at, onProgress })
  for (const { path } of pictures.unused)
    oddities.push(`${path}: どの文書からも使われていないファイルです。取り込みません。`)

  const done = { stored: 0, already: 0, leftOut: 0 }
  const work = async (trx: Transaction<Tables>) => {
    await lock(trx, 'import')
    Object.assign(done, await importDocuments(trx, documents, { at, pictures, oddities }))
    if (dryRun) throw new DryRun()
  }
  await inTransaction(db, work).catch((error) => {
    if (!(error instanceof DryRun)) throw error
  })
  return { documents: documents.length + notKept, ...done, notKept, oddities: oddities.map(onOneLine) }
}

type Way = { at: string; pictures: Pictures; oddities: string[] }

async function importDocuments(trx: Transaction<Tables>, documents: ImportedDocument[], way: Way) {
  const { at, pictures, oddities } = way
  const noteOn = (document: ImportedDocument) => (sentence: string) =>
    void oddities.push(`${document.collection}/${document.id}: ${sentence}`)
  const kept = await readKept(trx)
  for (const document of documents) {
    const before = kept.get(keyOf(document))
    if (before && !isDeepStrictEqual(JSON.parse(before.fields), JSON.parse(JSON.stringify(document.fields))))
      noteOn(document)('前回の取り込みのあとで、元の内容が変わっています。取り込み直しません。')
  }
  const fresh = documents.filter((document) => !kept.has(keyOf(document)))
  for (const document of fresh) {
    const { id } = document.fields
    if (!kindOf(document.collection)) noteOn(document)(unknownInWords(document))
    else if (id !== undefined && id !== document.id)
      noteOn(document)(`項目「id」（${inShort(id)}）が文書のIDと違います。文書のIDで取り込みます。`)
  }
  const importing: Importing = {
    trx,
    author: { accountId: null, at },
    noteOn,
    earlier: (name) =>
      [...kept.values()]
        .filter(({ collection }) => collection === name)
        .map(({ fields, ...of }) => ({ ...of, fields: JSON.parse(fields) })),
    storePicture: (url, note) => pictures.store(trx, url, note),
  }
  const used: ImportedDocument[] = []
  for (const kind of kinds) {
    const documents = fresh.filter(({ collection }) => kindOf(collection) === kind)
    used.push(...(await kind.importAll(importing, documents)))
  }
  await showPages(trx, new Set(used.map(({ collection }) => collection)), at)
  for (const document of fresh) await keep(trx, document, at)
  return { stored: used.length, already: documents.length - fresh.length, leftOut: fresh.length - used.length }
}

// A new site without the sample hides these pages until they have content from the owner or an import.
async function showPages(trx: Transaction<Tables>, imported: Set<string>, at: string) {
  const isCircle = imported.has('members') || imported.has('tennisrelated')
  const wanted = (name: PageName) =>
    imported.has(name) || (name === 'webdesignincludebackend' && imported.has('webdesign'))
  const portfolio: PageName[] = siteUses.portfolio.pages.filter(wanted)
  for (const name of [...(isCircle ? siteUses.circle.pages : []), ...portfolio]) {
    const page = await readPageToEdit(trx, name)
    if (!page || page.shown || page.version > 1) continue
    const { id, path: _, version, ...facts } = page
    await savePage(trx, id, { version, facts: { ...facts, shown: true } }, { accountId: null, at })
  }
}

function unknownInWords({ collection, fields }: ImportedDocument) {
  return collection.includes('/')
    ? `サブコレクションの文書で、このサイトには場所がありません。元の文書だけを保存します（中身: ${inShort(fields)}）。`
    : `不明なコレクションです。元の文書だけを保存します（中身: ${inShort(fields)}）。`
}

function keyOf({ collection, id }: { collection: string; id: string }) {
  return JSON.stringify([collection, id])
}

async function readKept(db: Kysely<Tables>) {
  const rows = await db.selectFrom('importedDocuments').select(['collection', 'id', 'fields']).execute()
  return new Map(rows.map((row) => [keyOf(row), row]))
}

async function keep(trx: Transaction<Tables>, { collection, id, fields }: ImportedDocument, at: string) {
  const row = { collection, id, fields: JSON.stringify(fields), importedAt: at }
  await trx.insertInto('importedDocuments').values(row).execute()
}

function onOneLine(sentence: string) {
  return sentence.replace(/\s*\p{Cc}\s*/gu, ' ')
}
