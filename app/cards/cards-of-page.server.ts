import { data } from 'react-router'
import { timeInJapan } from '../dates/japan.ts'
import { isOwnPageId } from '../pages/own-page.ts'
import type { PageId, PageName } from '../pages/page.ts'
import { isLinkOpen, isPageVisible, openPage, previewImageOf, readPages } from '../pages/pages.server.ts'
import { mayEditCollection, seesEditButtons } from '../permissions.ts'
import { contextOf, type RequestContext, readOr } from '../request.ts'
import { sectionTextFields } from '../sections/section.ts'
import { type Display, isCardShown, nextDisplayChange } from '../sections/shown.ts'
import { readSite } from '../settings/site.server.ts'
import { SiteSettings } from '../settings/site.ts'
import { readTranslator } from '../translations/translations.server.ts'
import { type CollectionName, collectionNames, collectionOf } from './card.ts'
import { collectionLabel } from './card-labels.ts'
import { cardTextFields } from './card-texts.ts'
import { listCards, listSectionsOf } from './cards.server.ts'
import type { Editing } from './editing.ts'

/**
 * Returns cards and the visitor's rights. Removes a card's link if the visitor may not open the linked page.
 * `sections` has all sections of the menu, also those that guests do not see. It is empty on other pages. `nextChange` is
 * the next time in Japan at which a card appears or disappears, or ''.
 */
export async function readCards(
  context: RequestContext,
  collection: CollectionName,
  ...otherCollections: CollectionName[]
) {
  const { db, visitor, clock } = contextOf(context)
  const site = await readOr(context, SiteSettings.parse({}), () => readSite(db))
  const mayEdit = mayEditCollection(visitor, collection, site)
  const translate = await readTranslator(context, collection)
  const sections = (await readOr(context, [], () => listSectionsOf(db, collection))).map((section) =>
    translate(section.id, section, sectionTextFields),
  )
  const now = timeInJapan(clock())
  const items = []
  const displays: Display[] = [...sections]
  for (const name of [collection, ...otherCollections]) {
    const cards = await readOr(context, [], () => listCards(db, name, { drafts: mayEdit }))
    displays.push(...cards)
    const translateCard = name === collection ? translate : await readTranslator(context, name)
    const shown = mayEdit ? cards : cards.filter((card) => isCardShown(card, sections, now))
    items.push(...shown.map((card) => translateCard(card.id, card, cardTextFields(name))))
  }
  const editing: Editing = {
    collection,
    fields: collectionOf(collection).fields,
    mayEdit,
    seesPencils: seesEditButtons(mayEdit, site),
  }
  const pages = await readPages(context)
  const shown = items.map((item) => (isLinkOpen(pages, item.linkUrl, visitor) ? item : { ...item, linkUrl: '' }))
  return { items: shown, sections, nextChange: nextDisplayChange(displays, now), editing }
}

/**
 * Returns a page and its cards. `Id` is the card ID in a URL like /tennisrelated/{Id}/{eventState}. Throws a 404 if the
 * visitor may not see the page or no card has this ID.
 */
export async function openPageOfCards(
  context: RequestContext,
  name: PageName & CollectionName,
  { Id: pointedId }: { Id?: string } = {},
  ...further: CollectionName[]
) {
  const about = await openPage(context, name)
  const cards = await readCards(context, name, ...further)
  if (pointedId !== undefined && !cards.items.some(({ id }) => id === pointedId)) throw data(null, 404)
  return { about, picture: previewImageOf(about, cards.items), pointedId, ...cards }
}

export async function readCollectionName(context: RequestContext, collection: CollectionName) {
  const page = collection === 'home' ? undefined : (await readPages(context)).find(({ id }) => id === collection)
  return page?.label || page?.title || collectionLabel(collection)
}

export async function listVisibleCollections(context: RequestContext) {
  const pages = (await readPages(context)).filter(({ shown }) => shown)
  const ownPages = pages.flatMap(({ id }) => (isOwnPageId(id) ? [id] : []))
  const shown = [...collectionNames, ...ownPages].filter((name) => pages.some(({ id }) => id === pageIdOf(name)))
  return Promise.all(shown.map(async (name) => ({ name, inWords: await readCollectionName(context, name) })))
}

function pageIdOf(collection: CollectionName): PageId {
  return collection === 'webdesign' ? 'webdesignincludebackend' : collection
}

export async function canSeeCards(context: RequestContext, collection: CollectionName) {
  const { db, visitor } = contextOf(context)
  const pages = await readPages(context)
  if (isPageVisible(pages, pageIdOf(collection), visitor)) return true
  if (!pages.some(({ id }) => id === pageIdOf(collection))) return false
  return mayEditCollection(visitor, collection, await readSite(db))
}
