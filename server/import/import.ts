import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Kysely, Transaction } from 'kysely'
import { collectionNames } from '../../app/cards/card.ts'
import type { Box } from '../../app/media/image.ts'
import { storePicture } from '../../app/media/images.server.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { importEvent, importSpecialDays, importWeek } from './import-calendar.ts'
import { importCards } from './import-cards.ts'
import { type Export, type ImportedDocument, known } from './import-documents.ts'
import { importMember } from './import-members.ts'
import { parsed } from './import-reading.ts'

/** What became of an import: documents by what was done with them, and each oddity as `collection/id: sentence`. */
export type ImportReport = { documents: number; stored: number; already: number; leftOut: number; oddities: string[] }

type Options = { dryRun: boolean; now: number; onProgress?: (sentence: string) => void }

class DryRun extends Error {}

/**
 * Brings the documents of an older site in, whole or not at all; a dry run reports the same and changes nothing. Every
 * document is kept as it was, so that none is lost and a second run finds that it has nothing to do.
 */
export async function importExport(
  db: Kysely<Tables>,
  { documents, pictures, unreadable }: Export,
  { dryRun, now, onProgress = () => {} }: Options,
): Promise<ImportReport> {
  const at = new Date(now).toISOString()
  const oddities = [...unreadable]
  const noteOn = (document: ImportedDocument) => (sentence: string) =>
    void oddities.push(`${document.collection}/${document.id}: ${sentence}`)
  const stored = new Map<string, string>()
  for (const { url, box } of picturesOf(documents)) {
    const name = fileName(url)
    const file = pictures.get(name)
    if (!file || stored.has(name)) continue
    if (dryRun) stored.set(name, '/art/not-stored-yet-800.jpg')
    else {
      onProgress(`写真 ${basename(file)}`)
      const picture = await storePicture(db, readFileSync(file), box, { accountId: null, at })
      if (picture.outcome === 'stored') stored.set(name, picture.url)
      else oddities.push(`${basename(file)}: ${picture.message}`)
    }
  }
  // The site's own drawings are where they were.
  const pictureAt = (url: string) => (url.startsWith('/art/') ? url : stored.get(fileName(url)))

  const done = { stored: 0, already: 0, leftOut: 0 }
  const work = async (trx: Transaction<Tables>) => {
    const fresh: ImportedDocument[] = []
    for (const document of documents) {
      const before = await kept(trx, document)
      if (before === null) fresh.push(document)
      else {
        done.already += 1
        if (before !== JSON.stringify(document.fields))
          noteOn(document)('前に取り込んでから、元の内容が変わっています。もう一度は取り込みません。')
      }
    }
    const gave = new Set<ImportedDocument>()
    const of = (collection: string) => fresh.filter((document) => document.collection === collection)
    for (const document of fresh) {
      const way = { at, pictureAt, note: noteOn(document) }
      const count = await importOne(trx, document, way)
      if (count > 0) gave.add(document)
    }
    for (const document of await importWeek(trx, of('bussinessDays'), { at, noteOn })) gave.add(document)
    for (const document of await importSpecialDays(trx, of('bussinessDaysSpecial'), { at, noteOn })) gave.add(document)
    for (const document of fresh) await keep(trx, document, at)
    done.stored = gave.size
    done.leftOut = fresh.length - gave.size
    if (dryRun) throw new DryRun()
  }
  await inTransaction(db, work).catch((error) => {
    if (!(error instanceof DryRun)) throw error
  })
  return { documents: documents.length, ...done, oddities }
}

function importOne(trx: Transaction<Tables>, document: ImportedDocument, way: Parameters<typeof importCards>[2]) {
  if ((collectionNames as string[]).includes(document.collection)) return importCards(trx, document, way)
  if (document.collection === 'members') return importMember(trx, document, way)
  if (document.collection === 'events') return importEvent(trx, document, way)
  if (!known.includes(document.collection)) way.note('知らないコレクションです。文書の控えだけを残します。')
  return 0
}

async function kept(trx: Transaction<Tables>, { collection, id }: ImportedDocument) {
  const row = await trx
    .selectFrom('importedDocuments')
    .select('fields')
    .where((is) => is.and({ collection, id }))
    .executeTakeFirst()
  return row?.fields ?? null
}

async function keep(trx: Transaction<Tables>, { collection, id, fields }: ImportedDocument, at: string) {
  const row = { collection, id, fields: JSON.stringify(fields), importedAt: at }
  await trx.insertInto('importedDocuments').values(row).execute()
}

// The home page's first: a picture that a card shows as well is as large as the screen that it fills there.
function picturesOf(documents: ImportedDocument[]) {
  const isHome = ({ collection }: ImportedDocument) => collection === 'home'
  return documents
    .toSorted((a, b) => Number(isHome(b)) - Number(isHome(a)))
    .flatMap((document) => {
      const { collection, fields } = document
      if (!(collectionNames as string[]).includes(collection)) return []
      const box: Box = isHome(document) ? 'screen' : 'card'
      return [fields, ...[parsed(fields.jsonData)].flat()].flatMap((item) => {
        const { image, src } = (item ?? {}) as Record<string, unknown>
        return [image, src].flatMap((url) => (typeof url === 'string' && url ? [{ url, box }] : []))
      })
    })
}

// The last part of an address, where a storage service writes a whole path into it as well.
function fileName(url: string) {
  const path = url.replace(/[?#].*$/, '')
  try {
    return basename(decodeURIComponent(path)).toLowerCase()
  } catch {
    return basename(path).toLowerCase()
  }
}
