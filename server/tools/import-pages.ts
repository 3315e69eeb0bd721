import type { Transaction } from 'kysely'
import { isOwnPageId } from '../../app/pages/own-page.ts'
import { isPageName, type PageFacts } from '../../app/pages/page.ts'
import { pageForm, pageFormValues } from '../../app/pages/page-form.ts'
import { pageFactsOf } from '../../app/pages/page-record.server.ts'
import { addPage, readPageToEdit, savePage } from '../../app/pages/pages.server.ts'
import type { Tables } from '../../db/tables.ts'
import { inForm } from '../http/collections-of-pages.ts'
import { type ImportedDocument, type Note, noteUnknown } from './import-reading.ts'

type Way = { at: string; note: Note; storePicture: (url: string) => Promise<string> }

/** Overwrites the page of a document, or adds it. Returns the number of saved pages. */
export async function importPage(trx: Transaction<Tables>, { id, fields }: ImportedDocument, way: Way) {
  const { at, note, storePicture } = way
  if (!isPageName(id) && !isOwnPageId(id)) {
    note('このサイトのページの番号ではありません。文書の控えだけを残します。')
    return 0
  }
  const author = { accountId: null, at }
  const now = await readPageToEdit(trx, id)
  const { id: _, path: __, version, ...facts } = now ?? { ...pageFactsOf(id, null), id, path: '', version: 0 }
  const { id: ___, version: ____, path: _____, ...given } = fields
  noteUnknown(given, Object.keys(facts), note)
  const read = pageForm(id).safeParse({ ...pageFormValues(facts), ...inForm(given) })
  if (!read.success) {
    for (const { path, message } of read.error.issues) note(`「${path.join('.')}」を取り込めません（${message}）。`)
    return 0
  }
  const wanted: PageFacts = { ...facts, ...read.data }
  const image = wanted.image && (await storePicture(wanted.image))
  const text = []
  for (const block of wanted.text) {
    const url = block.kind === 'picture' ? await storePicture(block.url) : ''
    if (block.kind !== 'picture') text.push(block)
    else if (url) text.push({ ...block, url })
  }
  if (now) await savePage(trx, now.id, { version, facts: { ...wanted, image, text } }, author)
  else if (isOwnPageId(id) && !(await addPage(trx, id, { ...wanted, image, text }, author))) {
    note('ごみ箱に同じアドレスのページがあります。文書の控えだけを残します。')
    return 0
  }
  return 1
}

export function picturesOfPage({ fields }: ImportedDocument) {
  const texts = [fields.image, JSON.stringify(fields.text ?? [])].filter((each) => typeof each === 'string')
  return texts.flatMap((each) => [...each.matchAll(/\/pictures\/[\w.-]+/g)].map(([url]) => url))
}
