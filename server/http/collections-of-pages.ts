import { Rejection } from '../../app/forms/outcome.ts'
import { PictureGone } from '../../app/media/images.server.ts'
import { isOwnPageId, type OwnPageId } from '../../app/pages/own-page.ts'
import { isPageName } from '../../app/pages/page.ts'
import { pageForm, pageFormValues } from '../../app/pages/page-form.ts'
import { pageFactsOf } from '../../app/pages/page-record.server.ts'
import { fieldsOf } from '../../app/pages/page-words.ts'
import {
  addPage,
  deletePage,
  isOpen,
  type KnownPage,
  readPages,
  readPageToEdit,
  savePage,
} from '../../app/pages/pages.server.ts'
import { mayEditSite, refusalOfAdministration } from '../../app/permissions.ts'
import { authorOf, contextOf, type RequestContext } from '../../app/request.ts'
import type { Collection, Document, Given } from './collections.ts'
import { outcomeOf, wrong } from './collections-of-cards.ts'

/** All pages and their settings. Only the owner's own pages, with IDs `p-…`, can be added or removed. */
export const pages: Collection = {
  fields: fieldsOf,
  refusal: async (context) => refusalOfAdministration(contextOf(context).visitor),
  list: async (context) => {
    const all = await readPages(context)
    return all.filter(({ id }) => isOpen(all, id, contextOf(context).visitor)).map(documentOf)
  },
  read: async (context, id) => {
    // Reads the database, because `readPages` returns the list from before this request's write.
    const page = await readPageToEdit(contextOf(context).db, id)
    const sees = page && (mayEditSite(contextOf(context).visitor) || isOpen(await readPages(context), page.id, null))
    return page && sees ? documentOf(page) : null
  },
  add: async (context, { id, ...given }) => {
    if (typeof id !== 'string' || !isOwnPageId(id)) return wrong([{ path: ['id'], message: NO_ID }])
    const start = pageFactsOf(id, null)
    const read = pageForm(id).safeParse({ ...pageFormValues(start), ...inForm(given) })
    if (!read.success) return wrong(read.error.issues)
    const saved = await addPage(contextOf(context).db, id, { ...start, ...read.data }, authorOf(context))
    return saved ? { outcome: 'saved', id } : { outcome: 'taken', error: TAKEN, field: 'id' }
  },
  change: async (context, { id, version }, given) => {
    const now = await readPageToEdit(contextOf(context).db, id)
    if (!now) return { outcome: 'missing' }
    const { id: pageId, path: _, version: __, ...facts } = now
    const read = pageForm(id).safeParse({ ...pageFormValues(facts), ...inForm(given) })
    if (!read.success) return wrong(read.error.issues)
    try {
      const seen = { version, facts: read.data }
      return outcomeOf(id, await savePage(contextOf(context).db, pageId, seen, authorOf(context)))
    } catch (error) {
      if (error instanceof PictureGone) return wrong([{ path: ['image'], message: error.message }])
      if (error instanceof Rejection) return wrong([{ path: ['shown'], message: error.message }])
      throw error
    }
  },
  remove: async (context, seen) => {
    if (isPageName(seen.id)) return { outcome: 'wrong', error: STAYS }
    return outcomeOf(seen.id, await deletePage(contextOf(context).db, seen, authorOf(context)))
  },
}

const NO_ID = 'ページの id は、p- に続く半角の英数字とハイフンです'
const TAKEN = 'この id のページは、すでにあるか、ごみ箱に入っています'
const STAYS = 'このページは削除できません。shown を false にすると、来訪者に見えなくなります。'

/** Converts JSON fields to the values that the page form sends. */
export function inForm(given: Given): Record<string, unknown> {
  const { text, ...others } = given
  return { ...others, ...(text !== undefined && { text: typeof text === 'string' ? text : JSON.stringify(text) }) }
}

function documentOf({ id, ...page }: KnownPage): Document {
  return { id, ...page }
}

/** Whether the visitor may open this page of the owner, whose cards are then a collection. */
export async function hasCardsOf(context: RequestContext, id: OwnPageId) {
  return isOpen(await readPages(context), id, contextOf(context).visitor)
}
