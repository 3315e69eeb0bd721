import type { Kysely, Transaction } from 'kysely'
import { data } from 'react-router'
import type { PageRow, Tables } from '../../db/tables.ts'
import { holdPicture } from '../media/images.server.ts'
import { mayEditSite, type Visitor } from '../permissions.ts'
import { saveFacts } from '../records/facts.server.ts'
import { type Author, dbKey, type RequestContext, readOr, visitorKey } from '../request.ts'
import { isPageName, type Page, type PageFacts, type PageLink, type PageName, type Place, pageNames } from './page.ts'
import { pageColumns, pageFactsOf, pageRecord, pathOf } from './page-record.server.ts'

/** A page of the site with all that its owner says of it. */
export type KnownPage = PageFacts & { id: string; path: string; version: number }

/** Every page of the site, in the order of its links; those that are hidden too. */
export async function listPages(db: Kysely<Tables>): Promise<KnownPage[]> {
  const rows = await db.selectFrom('pages').selectAll().where('deletedAt', 'is', null).execute()
  const ids = new Set<string>([...pageNames, ...rows.map(({ id }) => id)])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...ids].map((id) => known(id, byId.get(id))).sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))
}

function known(id: string, row: PageRow | undefined): KnownPage {
  return { ...pageFactsOf(id, row), id, path: pathOf(row ?? { id, name: id }), version: row?.version ?? 0 }
}

/** Every page as it starts: where the database does not tell more. */
export function pagesAtStart() {
  return pageNames.map((id) => known(id, undefined))
}

/** Whether a visitor of this kind finds the page. */
export function isOpen(pages: KnownPage[], id: PageName, visitor: Visitor) {
  if (mayEditSite(visitor)) return true
  const isShown = (name: PageName) => pages.find((page) => page.id === name)?.shown !== false
  // Without its page there is no circle to look at from outside.
  return isShown(id) && (id !== 'memberlist' || visitor !== null || isShown('tennisrelated'))
}

/** The pages to which no link leads. */
export function hiddenIn(pages: KnownPage[]) {
  return pages.filter(({ shown }) => !shown).map(({ id }) => id)
}

/** The links that the menu, or the foot of every page, has for this visitor. */
export function linksIn(place: Place, pages: KnownPage[], visitor: Visitor): PageLink[] {
  return pages
    .filter((page) => page.place === place && page.shown && (!isPageName(page.id) || isOpen(pages, page.id, visitor)))
    .map(({ id, path, label, title, english }) => ({
      // The specification's address of it.
      to: id === 'home' ? '/home' : path,
      label: label || title,
      english,
    }))
}

// What is around a page and the page itself are made from the same, which is read once.
const reading = new WeakMap<RequestContext, Promise<KnownPage[]>>()

/** All pages, for what is answered to this request; as they start where they cannot be read. */
export function readPages(context: RequestContext) {
  const known = reading.get(context) ?? readOr(context, pagesAtStart(), () => listPages(context.get(dbKey)))
  reading.set(context, known)
  return known
}

/** What a page is made with; who may not see it is answered as if it was not there. */
export async function openPage(context: RequestContext, id: PageName): Promise<Page> {
  const pages = await readPages(context)
  const visitor = context.get(visitorKey)
  const page = pages.find((each) => each.id === id)
  if (!page || !isOpen(pages, id, visitor)) throw data(null, 404)
  return shownOf(page, visitor)
}

function shownOf({ label: _, place: __, order: ___, version: ____, ...page }: KnownPage, visitor: Visitor): Page {
  return { ...page, mayEdit: mayEditSite(visitor) }
}

/** Whoever has no account finds nothing of a circle that has no page. */
export async function requireCircle(context: RequestContext) {
  if (context.get(visitorKey) === null && !(await readPages(context)).find(({ id }) => id === 'tennisrelated')?.shown)
    throw data(null, 404)
}

/** What the circle is called: as its page is. */
export async function circleName(db: Kysely<Tables>) {
  return (await readPageToEdit(db, 'tennisrelated'))?.title ?? ''
}

/** The facts of a page and their version, 0 where none were saved; null where there is no such page. */
export async function readPageToEdit(db: Kysely<Tables>, id: string) {
  const row = id.includes('\0')
    ? undefined
    : await db.selectFrom('pages').selectAll().where('id', '=', id).executeTakeFirst()
  const there = row?.deletedAt ? undefined : row
  return there || isPageName(id) ? known(id, there) : null
}

/** Saves what the editor of a version changed of a page, as `saveFacts` says. Throws `PictureGone`. */
export function savePage(db: Kysely<Tables>, id: string, seen: { version: number; facts: PageFacts }, author: Author) {
  const guard = (trx: Transaction<Tables>, { image }: Partial<PageFacts>) => holdPicture(trx, image)
  return saveFacts(db, { kind: pageRecord, id, ...pageColumns(id), guard }, seen, author)
}
