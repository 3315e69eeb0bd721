import { isOwnPageId } from '../../app/pages/own-page.ts'
import { isPageName, type PageSettings } from '../../app/pages/page.ts'
import { pageForm, pageFormValues } from '../../app/pages/page-form.ts'
import { pageSettingsOf } from '../../app/pages/page-record.server.ts'
import { addPage, readPageToEdit, savePage } from '../../app/pages/pages.server.ts'
import { inForm } from '../http/collections-of-pages.ts'
import { type DocumentType, importEach, noteUnknownFields } from './import-reading.ts'

export const pageImport: DocumentType = {
  imagesOf: ({ fields }) => {
    const texts = [fields.image, JSON.stringify(fields.text ?? [])].filter((each) => typeof each === 'string')
    const urls = texts.flatMap((each) => each.match(/\/pictures\/[\w.-]+/g) ?? [])
    return urls.map((url) => ({ url, box: 'screen' }))
  },
  importAll: importEach(async ({ trx, author, storeImage }, { id, fields }, note) => {
    if (!isPageName(id) && !isOwnPageId(id)) return 'このサイトのページのIDではありません。元の文書だけを保存します。'
    const now = await readPageToEdit(trx, id)
    const { id: _, path: __, version, ...facts } = now ?? { ...pageSettingsOf(id, null), id, path: '', version: 0 }
    noteUnknownFields(fields, [...Object.keys(facts), 'id', 'path', 'version'], note)
    const read = pageForm(id).safeParse({ ...pageFormValues(facts), ...inForm(fields) })
    if (!read.success) {
      for (const { path, message } of read.error.issues) note(`「${path.join('.')}」を取り込めません（${message}）。`)
      return false
    }
    const wanted: PageSettings = { ...facts, ...read.data }
    const image = wanted.image && (await storeImage(wanted.image, note))
    const text = []
    for (const block of wanted.text) {
      const url = block.kind === 'picture' ? await storeImage(block.url, note) : ''
      if (block.kind !== 'picture') text.push(block)
      else if (url) text.push({ ...block, url })
    }
    if (now) await savePage(trx, now.id, { version, facts: { ...wanted, image, text } }, author)
    else if (isOwnPageId(id) && !(await addPage(trx, id, { ...wanted, image, text }, author)))
      return 'ごみ箱に同じアドレスのページがあります。元の文書だけを保存します。'
    return true
  }),
}
