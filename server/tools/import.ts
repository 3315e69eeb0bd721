import { isDeepStrictEqual } from 'node:util'
import { siteUses } from '../../app/owner/site-uses.ts'
import type { PageName } from '../../app/pages/page.ts'
import { readPageToEdit, savePage } from '../../app/pages/pages.server.ts'
import { lock } from '../../db/engine.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { documentTypeOf, documentTypes, type Export } from './import-documents.ts'
import { encodeImages, type ImageImport } from './import-images.ts'
import { type ImportContext, type ImportedDocument, shortJson } from './import-reading.ts'

export type ImportReport = Awaited<ReturnType<typeof importExport>>

type Options = { dryRun: boolean; now: number; onProgress?: (sentence: string) => void }

class DryRun extends Error {}

/**
 * Imports an export in one transaction, which a dry run rolls back. Also stores each original document, so that a
 * second run skips the document. In the report, `documents` is the sum of the other numbers. Each oddity is a line
 * `collection/id: sentence`.
 */
export async function importExport(
  db: Db,
  { documents, files, oddities: importOddities, notKept }: Export,
  { dryRun, now, onProgress = () => {} }: Options,
) {
  const at = new Date(now).toISOString()
  const oddities = [...importOddities]
  const stored = await readImported(db)
  const fresh = documents.filter((document) => !stored.has(keyOf(document)))
  // Encodes the images before the transaction, because an image takes a second and the transaction blocks saves.
  const images = await encodeImages(documents, { fresh, files, at, onProgress })
  for (const { path } of images.unused)
    oddities.push(`${path}: どの文書からも使われていないファイルです。取り込みません。`)

  const counts = { stored: 0, already: 0, leftOut: 0 }
  const work = async (trx: Trx) => {
    await lock(trx, 'import')
    Object.assign(counts, await importDocuments(trx, documents, { at, images, oddities }))
    if (dryRun) throw new DryRun()
  }
  await inTransaction(db, work).catch((error) => {
    if (!(error instanceof DryRun)) throw error
  })
  const lines = oddities.map((oddity) => oddity.replace(/\s*\p{Cc}\s*/gu, ' '))
  return { documents: documents.length + notKept, ...counts, notKept, oddities: lines }
}

type ImportOptions = { at: string; images: ImageImport; oddities: string[] }

async function importDocuments(trx: Trx, documents: ImportedDocument[], options: ImportOptions) {
  const { at, images, oddities } = options
  const noteOn = (document: ImportedDocument) => (sentence: string) =>
    void oddities.push(`${document.collection}/${document.id}: ${sentence}`)
  const imported = await readImported(trx)
  for (const document of documents) {
    const stored = imported.get(keyOf(document))
    if (stored && !isDeepStrictEqual(JSON.parse(stored.fields), JSON.parse(JSON.stringify(document.fields))))
      noteOn(document)('前回の取り込みのあとで、元の内容が変わっています。取り込み直しません。')
  }
  const fresh = documents.filter((document) => !imported.has(keyOf(document)))
  for (const document of fresh) {
    const { id } = document.fields
    if (!documentTypeOf(document.collection)) noteOn(document)(unknownSentence(document))
    else if (id !== undefined && id !== document.id)
      noteOn(document)(`項目「id」（${shortJson(id)}）が文書のIDと違います。文書のIDで取り込みます。`)
  }
  const context: ImportContext = {
    trx,
    author: { accountId: null, at },
    noteOn,
    earlier: (name) =>
      [...imported.values()]
        .filter(({ collection }) => collection === name)
        .map(({ fields, ...of }) => ({ ...of, fields: JSON.parse(fields) })),
    storeImage: (url, note) => images.store(trx, url, note),
  }
  const used: ImportedDocument[] = []
  for (const documentType of documentTypes) {
    const documents = fresh.filter(({ collection }) => documentTypeOf(collection) === documentType)
    used.push(...(await documentType.importAll(context, documents)))
  }
  await showPages(trx, new Set(used.map(({ collection }) => collection)), at)
  for (const { collection, id, fields } of fresh) {
    const row = { collection, id, fields: JSON.stringify(fields), importedAt: at }
    await trx.insertInto('importedDocuments').values(row).execute()
  }
  return { stored: used.length, already: documents.length - fresh.length, leftOut: fresh.length - used.length }
}

// A new site without the sample shop hides these pages until the owner or an import adds content.
async function showPages(trx: Trx, imported: Set<string>, at: string) {
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

function unknownSentence({ collection, fields }: ImportedDocument) {
  return collection.includes('/')
    ? `サブコレクションの文書で、このサイトには場所がありません。元の文書だけを保存します（中身: ${shortJson(fields)}）。`
    : `不明なコレクションです。元の文書だけを保存します（中身: ${shortJson(fields)}）。`
}

function keyOf({ collection, id }: { collection: string; id: string }) {
  return JSON.stringify([collection, id])
}

async function readImported(db: Db) {
  const rows = await db.selectFrom('importedDocuments').select(['collection', 'id', 'fields']).execute()
  return new Map(rows.map((row) => [keyOf(row), row]))
}
