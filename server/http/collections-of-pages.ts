import { isOwnPageId, type OwnPageId } from '../../app/pages/own-page.ts'
import { isPageName, type PageSettings } from '../../app/pages/page.ts'
import { pageForm, pageFormValues } from '../../app/pages/page-form.ts'
import { pageRecord, pageSettingsOf } from '../../app/pages/page-record.server.ts'
import { fieldsOf } from '../../app/pages/page-words.ts'
import {
  addPage,
  deletePage,
  isPageVisible,
  type KnownPage,
  readPages,
  readPageToEdit,
  savePage,
} from '../../app/pages/pages.server.ts'
import { mayEditSite } from '../../app/permissions.ts'
import type { Collection, JsonBody } from './collection.ts'

/** Collection of the pages. Only the owner's own pages, with IDs `p-…`, can be added or removed. */
export const pages: Collection<KnownPage, Partial<PageSettings>> = {
  recordType: pageRecord,
  fields: fieldsOf,
  list: ({ context }) => readPages(context),
  // Reads the database, because `readPages` returns the list from before this request's write.
  read: ({ db }, id) => readPageToEdit(db, id),
  visible: async ({ context, visitor }) => {
    const all = await readPages(context)
    return ({ id }) => mayEditSite(visitor) || isPageVisible(all, id, visitor)
  },
  documentOf: ({ id, ...page }) => ({ id, ...page }),
  check: (_, { id }, page) => (page || (typeof id === 'string' && isOwnPageId(id)) ? null : NO_ID),
  schema: (id) => pageForm(id),
  inputOf: (body, page) => {
    const facts = page ?? pageSettingsOf(String(body.id), null)
    return { ...pageFormValues(facts), ...inForm(body) }
  },
  add: async ({ db, author }, facts, body) => {
    const id = body.id as OwnPageId
    const saved = await addPage(db, id, { ...pageSettingsOf(id, null), ...facts }, author)
    return saved ? { outcome: 'saved', id } : { outcome: 'taken', error: TAKEN, field: 'id' }
  },
  change: ({ db, author }, { id, version }, facts) => savePage(db, id as KnownPage['id'], { version, facts }, author),
  remove: async ({ db, author }, ref) =>
    isPageName(ref.id) ? { outcome: 'wrong', error: STAYS } : deletePage(db, ref, author),
}

const NO_ID = { outcome: 'wrong', error: 'ページの id は、p- に続く半角の英数字とハイフンです', field: 'id' } as const
const TAKEN =
  'この id は、いまあるページか、以前に削除したページのものです。別の id にしてください。ごみ箱にあるページは、元に戻せます。'
const STAYS = 'このページは削除できません。shown を false にすると、お客さまに見えなくなります。'

export function inForm({ text, ...body }: JsonBody): JsonBody {
  return { ...body, ...(text !== undefined && { text: typeof text === 'string' ? text : JSON.stringify(text) }) }
}
