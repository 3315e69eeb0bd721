import type { Kysely, Transaction } from 'kysely'
import { data } from 'react-router'
import type { PageRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { holdPicture } from '../media/images.server.ts'
import { mayEditSite, type Visitor } from '../permissions.ts'
import { saveFacts } from '../records/facts.server.ts'
import { ownDeletion, versionSeen } from '../records/own-saves.server.ts'
import { newSave, type Seen, type SeenVersion } from '../records/record.ts'
import { add, lockRow, lockThere, remove } from '../records/records.server.ts'
import { type Author, contextOf, type RequestContext, readOr } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { isOwnPagePath, type OwnPageId } from './own-page.ts'
import {
  isPageName,
  type Page,
  type PageFacts,
  type PageId,
  type PageLink,
  type Place,
  pageNames,
  startingPages,
} from './page.ts'
import { pageColumns, pageFactsOf, pageRecord, pathOf } from './page-record.server.ts'
import { EMPTY, fieldsOf } from './page-words.ts'
import { withoutClosedLinks } from './text.ts'

/** A page of the site with all that its owner says of it. */
export type KnownPage = PageFacts & { id: PageId; path: string; version: number }

/** Every page of the site, in the order of its links; those that are hidden too. */
export async function listPages(db: Kysely<Tables>): Promise<KnownPage[]> {
  const rows = await db.selectFrom('pages').selectAll().where('deletedAt', 'is', null).execute()
  const ids = new Set([...pageNames, ...rows.map(({ id }) => id as PageId)])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const pages = [...ids].map((id) => known(id, byId.get(id)))
  const named = pages.map((page) =>
    page.id === 'login' && !hasCircle(pages) ? loginNamed(page, MEMBERS_LOGIN, SHOP_LOGIN) : page,
  )
  return named.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))
}

function known(id: PageId, row: PageRow | undefined): KnownPage {
  return { ...pageFactsOf(id, row), id, path: pathOf(id), version: row?.version ?? 0 }
}

const MEMBERS_LOGIN = startingPages.login.label
const SHOP_LOGIN = 'お店の方のログイン'

function loginNamed<Login extends Partial<PageFacts>>(login: Login, from: string, to: string): Login {
  const named = (['title', 'label'] as const).filter((name) => login[name] === from)
  return { ...login, ...Object.fromEntries(named.map((name) => [name, to])) }
}

// Where the database does not tell more.
const atStart = pageNames.map((id) => known(id, undefined))

/** Whether this visitor finds the page. */
export function isOpen(pages: KnownPage[], id: PageId, visitor: Visitor) {
  const page = pages.find((each) => each.id === id)
  return page !== undefined && (mayEditSite(visitor) || isShown(page, pages))
}

function isShown({ id, shown }: KnownPage, pages: KnownPage[]) {
  return shown && (id !== 'memberlist' || hasCircle(pages))
}

/** Returns the ID of the page that a link leads to, whether or not there is one; null if it leads elsewhere. */
export function pageOfLink(url: string): PageId | null {
  const path = url.split(/[?#]/, 1)[0]?.replace(/\/$/, '') ?? ''
  if (isOwnPagePath(path)) return `p-${path.slice('/p/'.length)}`
  const names = pageNames.filter((name) => name !== 'home')
  return names.find((name) => `${path}/`.startsWith(`${startingPages[name].path}/`)) ?? null
}

/** Whether this visitor finds the target of a link: a page that is open to them, or no page of this site. */
export function isLinkOpen(pages: KnownPage[], url: string, visitor: Visitor) {
  const id = pageOfLink(url)
  return id === null || isOpen(pages, id, visitor)
}

/** Whether the site has a circle: its page is shown. */
export function hasCircle(pages: KnownPage[]) {
  return pages.some(({ id, shown }) => id === 'tennisrelated' && shown)
}

// Where whoever has signed in would have.
const account: PageLink = { to: '/account', label: 'アカウント', english: 'Account' }

/** The links that the menu, or the foot of every page, has for this visitor. */
export function linksIn(place: Place, pages: KnownPage[], visitor: Visitor): PageLink[] {
  return pages
    .filter((page) => page.place === place && isShown(page, pages))
    .map(({ id, path, label, title, english }) => ({
      // The specification's address of it.
      to: id === 'home' ? '/home' : path,
      label: label || title,
      english,
    }))
    .map((link) => (visitor && link.to === startingPages.login.path ? account : link))
}

// What is around a page and the page itself are made from the same, which is read once.
const reading = new WeakMap<RequestContext, Promise<KnownPage[]>>()

/** All pages, for what is answered to this request; as they start where they cannot be read. */
export function readPages(context: RequestContext) {
  const pages = reading.get(context) ?? readOr(context, atStart, () => listPages(contextOf(context).db))
  reading.set(context, pages)
  return pages
}

/** What a page is made with; who may not see it is answered as if it was not there. */
export async function openPage(context: RequestContext, id: PageId): Promise<Page> {
  const pages = await readPages(context)
  const { visitor } = contextOf(context)
  const page = pages.find((each) => each.id === id)
  if (!page || !isOpen(pages, id, visitor)) throw data(null, 404)
  const { label: _, place: __, order: ___, version: ____, ...shown } = page
  const empty = fieldsOf(id).includes('empty') ? shown.empty || EMPTY : ''
  const text = withoutClosedLinks(shown.text, (href) => isLinkOpen(pages, href, visitor))
  return { ...shown, text, empty, mayEdit: mayEditSite(visitor) }
}

/** The page's own first picture, which it is shared with; undefined where it has none. */
export function pictureOf(page: Pick<Page, 'image' | 'film' | 'text'>, cards: readonly { image: string }[]) {
  const inText = page.text.find((block) => block.kind === 'picture')
  return inText?.url ?? cards.find(({ image }) => image)?.image ?? (page.film ? undefined : page.image || undefined)
}

/** What the circle is called: as its page is. */
export async function circleName(db: Kysely<Tables>) {
  return (await readPageToEdit(db, 'tennisrelated'))?.title ?? ''
}

/** The facts of a page and their version, 0 where none were saved; null where there is no such page. */
export async function readPageToEdit(db: Kysely<Tables>, id: string): Promise<KnownPage | null> {
  const row = await db.selectFrom('pages').selectAll().where('id', '=', id).executeTakeFirst()
  const there = row?.deletedAt ? undefined : row
  const page = there || isPageName(id) ? known(id as PageId, there) : null
  return page?.id === 'login' && !(await isCircleOn(db)) ? loginNamed(page, MEMBERS_LOGIN, SHOP_LOGIN) : page
}

/** Saves what the editor of a version changed of some or all facts of a page, as `saveFacts` says. Throws `PictureGone`. */
export async function savePage(
  db: Kysely<Tables>,
  id: PageId,
  { facts, ...seen }: SeenVersion & { facts: Partial<PageFacts> },
  author: Author,
) {
  const guard = async (trx: Transaction<Tables>, { image, text = [] }: Partial<PageFacts>) => {
    await holdPicture(trx, image)
    for (const block of text) if (block.kind === 'picture') await holdPicture(trx, block.url)
  }
  // The name for a site without a circle is never stored, so that the page has its own again with the circle.
  const isRenamed = id === 'login' && !(await isCircleOn(db))
  const stored = isRenamed ? loginNamed(facts, SHOP_LOGIN, MEMBERS_LOGIN) : facts
  return saveFacts(db, { kind: pageRecord, id, ...pageColumns(id), guard }, { ...seen, facts: stored }, author)
}

/** Adds a page of the owner's own, and gives the save; null where one of that address is there, or in the bin. */
export function addPage(db: Kysely<Tables>, id: OwnPageId, facts: PageFacts, author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    if (await lockRow(trx, pageRecord, id)) return null
    await add(trx, pageRecord, pageColumns(id).columnsOf(facts), save)
    return save.id
  })
}

/** Puts a page of the owner's own into the bin, and gives the save; `newer` where somebody changed it meanwhile. */
export function deletePage(db: Kysely<Tables>, seen: Seen, author: Author) {
  const save = newSave(author, 'delete')
  return inTransaction(db, async (trx) => {
    const row = await lockThere(trx, pageRecord, seen.id)
    const own = row ? null : await ownDeletion(trx, pageRecord, seen, author)
    if (own) return { outcome: 'deleted' as const, save: own.saveId }
    if (!row || isPageName(seen.id)) return { outcome: 'missing' as const }
    if (row.version !== (await versionSeen(trx, pageRecord, seen, author))) return { outcome: 'newer' as const }
    await remove(trx, pageRecord, row, save)
    return { outcome: 'deleted' as const, save: save.id }
  })
}
