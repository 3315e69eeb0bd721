import { data } from 'react-router'
import type { Db, PageRow } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Outcome } from '../forms/outcome.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import { isJapanese, t } from '../languages/language.ts'
import { mayEditSite, type Visitor } from '../permissions.ts'
import { removeOnce } from '../records/own-saves.server.ts'
import { newSave, type RecordRef } from '../records/record.ts'
import { add, lockRow } from '../records/records.server.ts'
import { saveSettings } from '../records/settings-record.server.ts'
import { type Author, contextOf, type RequestContext, readOr } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readTranslator } from '../translations/translations.server.ts'
import { isOwnPagePath, type OwnPageId } from './own-page.ts'
import {
  builtInPages,
  isPageName,
  type Page,
  type PageId,
  type PageLink,
  type PageSettings,
  type Place,
  pageNames,
} from './page.ts'
import { pageRecord, pageSettingsOf, pathOf, settingsOfPage } from './page-record.server.ts'
import { pageTextFields } from './page-texts.ts'
import { DEFAULT_EMPTY_TEXT, fieldsOf } from './page-words.ts'
import { plainTextOf } from './plain-text.ts'
import { removeClosedLinks } from './text.ts'

export type KnownPage = PageSettings & { id: PageId; path: string; version: number }

export async function listPages(db: Db): Promise<KnownPage[]> {
  const rows = await db.selectFrom('pages').selectAll().where('deletedAt', 'is', null).execute()
  const ids = new Set([...pageNames, ...rows.map(({ id }) => id as PageId)])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const pages = [...ids].map((id) => toKnownPage(id, byId.get(id)))
  const renamed = pages.map((page) =>
    page.id === 'login' && !hasCircle(pages) ? renameLogin(page, MEMBERS_LOGIN, SHOP_LOGIN) : page,
  )
  return renamed.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))
}

function toKnownPage(id: PageId, row: PageRow | undefined): KnownPage {
  return { ...pageSettingsOf(id, row), id, path: pathOf(id), version: row?.version ?? 0 }
}

const MEMBERS_LOGIN = builtInPages.login.label
const SHOP_LOGIN = 'スタッフのログイン'

function renameLogin<Login extends Partial<PageSettings>>(login: Login, from: string, to: string): Login {
  const matching = (['title', 'label'] as const).filter((name) => login[name] === from)
  return { ...login, ...Object.fromEntries(matching.map((name) => [name, to])) }
}

// Fallback if the database cannot be read.
const defaultPages = pageNames.map((id) => toKnownPage(id, undefined))

export function isPageVisible(pages: KnownPage[], id: PageId, visitor: Visitor) {
  const page = pages.find((each) => each.id === id)
  return page !== undefined && (mayEditSite(visitor) || isShown(page, pages))
}

const ONLY_IN_JAPANESE: PageId[] = ['memberlist', 'login']

function isShown({ id, shown }: KnownPage, pages: KnownPage[]) {
  return shown && (id !== 'memberlist' || hasCircle(pages)) && (isJapanese() || !ONLY_IN_JAPANESE.includes(id))
}

/** Returns the page ID, even if the page does not exist, or null for targets that are not page paths. */
export function pageOfLink(url: string): PageId | null {
  const path = url.split(/[?#]/, 1)[0]?.replace(/\/$/, '') ?? ''
  if (isOwnPagePath(path)) return `p-${path.slice('/p/'.length)}`
  const names = pageNames.filter((name) => name !== 'home')
  return names.find((name) => `${path}/`.startsWith(`${builtInPages[name].path}/`)) ?? null
}

/** Whether the visitor can open a link target. Returns true for targets that are not pages of this site. */
export function isLinkOpen(pages: KnownPage[], url: string, visitor: Visitor) {
  const id = pageOfLink(url)
  return id === null || isPageVisible(pages, id, visitor)
}

export function hasCircle(pages: KnownPage[]) {
  return pages.some(({ id, shown }) => id === 'tennisrelated' && shown)
}

const accountLink: PageLink = { to: '/account', label: 'アカウント', english: 'Account' }

export function navigationLinks(place: Place, pages: KnownPage[], visitor: Visitor): PageLink[] {
  return pages
    .filter((page) => page.place === place && isShown(page, pages))
    .map(({ id, path, label, title, english }) => ({
      // The specification requires this URL for links to the home page.
      to: id === 'home' ? '/home' : path,
      label: label || title,
      english,
    }))
    .map((link) => (visitor && link.to === builtInPages.login.path ? accountLink : link))
}

// Several loaders of a request need the pages, so they share one read.
const pagesOfRequest = new WeakMap<RequestContext, Promise<KnownPage[]>>()

/** Reads all pages once per request. Returns the default pages if the database cannot be read. */
export function readPages(context: RequestContext) {
  const pages = pagesOfRequest.get(context) ?? readTranslatedPages(context)
  pagesOfRequest.set(context, pages)
  return pages
}

async function readTranslatedPages(context: RequestContext) {
  const pages = await readOr(context, defaultPages, () => listPages(contextOf(context).db))
  if (isJapanese()) return pages
  const translate = await readTranslator(context, 'pages')
  return pages.map((page) => {
    const { title, label, ...translated } = translate(page.id, page, pageTextFields)
    // The texts of a page that nobody has changed are texts of the program.
    return { ...translated, title: t(title), label: t(label), english: '' }
  })
}

/** Returns the loader data of a page. Throws a 404 if the page does not exist or is hidden from the visitor. */
export async function openPage(context: RequestContext, id: PageId): Promise<Page> {
  const pages = await readPages(context)
  const { visitor } = contextOf(context)
  const page = pages.find((each) => each.id === id)
  if (!page || !isPageVisible(pages, id, visitor)) throw data(null, 404)
  const { label: _, place: __, order: ___, version: ____, ...shown } = page
  const empty = fieldsOf(id).includes('empty') ? shown.empty || t(DEFAULT_EMPTY_TEXT) : ''
  const text = removeClosedLinks(shown.text, (href) => isLinkOpen(pages, href, visitor))
  return { ...shown, text, empty, mayEdit: mayEditSite(visitor) }
}

export function previewImageOf(page: Pick<Page, 'image' | 'film' | 'text'>, cards: readonly { image: string }[]) {
  const textImage = page.text.find((block) => block.kind === 'picture')
  return textImage?.url ?? cards.find(({ image }) => image)?.image ?? (page.film ? undefined : page.image || undefined)
}

export async function circleName(db: Db) {
  return (await readPageToEdit(db, 'tennisrelated'))?.title ?? ''
}

/** Returns a page with its version, or null if the page does not exist. The version is 0 before the first save. */
export async function readPageToEdit(db: Db, id: string): Promise<KnownPage | null> {
  const row = await db.selectFrom('pages').selectAll().where('id', '=', id).executeTakeFirst()
  const presentRow = row?.deletedAt ? undefined : row
  const page = presentRow || isPageName(id) ? toKnownPage(id as PageId, presentRow) : null
  return page?.id === 'login' && !(await isCircleOn(db)) ? renameLogin(page, MEMBERS_LOGIN, SHOP_LOGIN) : page
}

/**
 * Saves a page and merges the changes of other authors. Throws `ImageMissing` if an image does not exist. `plainText` is
 * the text of a form that was sent before the editor's script had loaded.
 */
export async function savePage(
  db: Db,
  id: PageId,
  { facts, plainText, ...seen }: SeenVersion & { facts: Partial<PageSettings>; plainText?: string },
  author: Author,
) {
  // Without a circle, the sign-in page has another name, which is never stored, so that the old name can return.
  const isRenamed = id === 'login' && !(await isCircleOn(db))
  const stored = isRenamed ? renameLogin(facts, SHOP_LOGIN, MEMBERS_LOGIN) : facts
  // Plain text has no formats, so unchanged plain text leaves the text as it is.
  const factsSince = ({ text }: PageSettings) => (plainText === plainTextOf(text) ? { ...stored, text } : stored)
  return saveSettings(db, settingsOfPage(id), { ...seen, facts: factsSince }, author)
}

/** Adds a page. Returns the save ID, or null if a page with this ID exists, also in the bin. */
export function addPage(db: Db, id: OwnPageId, facts: PageSettings, author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    if (await lockRow(trx, pageRecord, id)) return null
    await add(trx, pageRecord, settingsOfPage(id).columnsOf(facts), save)
    return save.id
  })
}

export async function deletePage(db: Db, seen: RecordRef, author: Author): Promise<Outcome<string>> {
  return isPageName(seen.id) ? { error: 'missing' } : removeOnce(db, pageRecord, seen, author)
}
