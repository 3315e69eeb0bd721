import { z } from 'zod'
import type { Db, MenuSectionRow, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Outcome, Rejection } from '../forms/outcome.ts'
import { lockNewImages } from '../records/images-in-use.server.ts'
import { merge } from '../records/merge.ts'
import { advanceSeenVersion, removeSeen } from '../records/own-saves.server.ts'
import { newSave, type RecordRef } from '../records/record.ts'
import { add, change, lockPresent, lockRow } from '../records/records.server.ts'
import { readSave, readVersion } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import { periodFields } from '../sections/display-rules.ts'
import { compareSections } from '../sections/section.ts'
import { sectionRecord } from '../sections/section-record.server.ts'
import { listSections, readSection } from '../sections/sections.server.ts'
import {
  type Card,
  type CardFields,
  type CollectionName,
  collectionOf,
  compareItems,
  type Field,
  fieldRules,
} from './card.ts'
import { cardRecord, type StoredCard } from './card-record.server.ts'
import type { PriceChanges } from './price-changes.ts'
import { sectionIdOf, toSequence } from './reorder.ts'
import { groupBySection } from './sections-of-cards.ts'

/** Returns the cards of a collection, sorted as on its page. Only editors may see drafts. */
export async function listCards(db: Db, collection: CollectionName, { drafts = false } = {}): Promise<Card[]> {
  const rows = await db
    .selectFrom('cards')
    .selectAll()
    .where('collection', '=', collection)
    .where('deletedAt', 'is', null)
    .$if(!drafts, (query) => query.where('draft', '=', false))
    .execute()
  return rows.map((row) => toCard(row as StoredCard)).sort(compareItems(collectionOf(collection).sortedBy))
}

/** Returns the cards of all collections, also drafts, sorted as on their pages. */
export async function listCardsByCollection(db: Db) {
  const rows = await db.selectFrom('cards').selectAll().where('deletedAt', 'is', null).execute()
  const cards = Map.groupBy((rows as StoredCard[]).map(toCard), ({ collection }) => collection)
  return (name: CollectionName) => (cards.get(name) ?? []).sort(compareItems(collectionOf(name).sortedBy))
}

export async function listSectionsOf(db: Db, collection: CollectionName) {
  return collection === 'dining' ? listSections(db) : []
}

/** Returns a card, even if the card is a draft. */
export async function readCard(db: Db, id: string) {
  const row = await db
    .selectFrom('cards')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return row ? toCard(row as StoredCard) : null
}

const defaultFields: CardFields = z.object(fieldRules).parse({})

/** Adds a card and returns its ID. `cardFields` must be validated. `imported` has further columns of an import. */
export async function addCard(
  db: Db,
  collection: CollectionName,
  cardFields: Partial<CardFields>,
  author: Author,
  imported: Partial<Pick<StoredCard, 'id' | 'other' | 'soldOutAt' | 'createdAt' | 'updatedAt'>> = {},
) {
  const row = {
    id: crypto.randomUUID(),
    collection,
    ...defaultFields,
    ...cardFields,
    soldOutAt: null,
    other: '',
    createdAt: author.at,
    deletedAt: null,
    ...imported,
  }
  await inTransaction(db, async (trx) => {
    await checkSection(trx, row.section)
    await lockNewImages(trx, cardRecord, row)
    await add(trx, cardRecord, row, newSave(author, 'add'))
  })
  return row.id
}

/** `save` is null if no field differed. `merged` is true if other authors have changed other fields. */
type MergedSave = { save: string | null; item: Card; merged: boolean }

type Conflict = { item: Card; fields: Field[]; mixed: CardFields }

export async function saveCard(
  db: Db,
  seen: RecordRef,
  submitted: Partial<CardFields> & { other?: string | undefined },
  author: Author,
): Promise<Outcome<MergedSave, Conflict>> {
  return inTransaction(db, async (trx) => {
    const row = await lockPresent(trx, cardRecord, seen.id)
    if (!row) return { error: 'missing' }
    const current = toCard(row)
    // The merge base comes from the history, not from the browser.
    const version = await advanceSeenVersion(trx, cardRecord, seen, author)
    const base =
      version === current.version
        ? row
        : await readVersion<StoredCard>(trx, { subject: 'card', subjectId: seen.id, version })
    const { changes, mixed, clashes } = merge<CardFields>(base && toCard(base), current, submitted, fieldGroups)
    if (clashes.length > 0) return { error: 'conflict', item: current, fields: clashes as Field[], mixed }
    const merged = version !== current.version
    if (Object.keys(changes).length === 0) return { ok: { save: null, item: current, merged } }
    await checkSection(trx, changes.section)
    await lockNewImages(trx, cardRecord, { ...row, ...changes }, row)
    const save = newSave(author, 'save')
    const after = await change<StoredCard>(trx, cardRecord, row, changes, save)
    return { ok: { save: save.id, item: toCard(after), merged } }
  })
}

// A confirmation is valid only for the allergens that its author has seen, and a description only for its image.
const fieldGroups = [
  ['allergens', 'allergensConfirmed'],
  ['image', 'portraitImage', 'imageAlt', 'text3'],
  periodFields,
] as const

export function deleteCard(db: Db, seen: RecordRef, author: Author) {
  return removeSeen(db, cardRecord, seen, author)
}

/**
 * Numbers the cards from 1. In the menu, `seen` and `wanted` are sequences as of `toSequence`, and a dish joins the section
 * before it. Returns a conflict if a save that is not in `own` has changed the order since `seen`.
 */
export function reorderCards(
  db: Db,
  collection: CollectionName,
  { seen, wanted, own }: { seen: string[]; wanted: string[]; own?: RecordRef['own'] },
  author: Author,
) {
  const save = newSave(author, 'reorder')
  return inTransaction(db, async (trx): Promise<Outcome<string | null>> => {
    const readPresentOrder = () => readOrderIfSeen(trx, collection, { seen, ...(own && { own }) }, author)
    // The order is also checked before the records are locked, because a form can contain 500,000 IDs.
    const before = wanted.length === seen.length && (await readPresentOrder())
    if (!before || seen.toSorted().join() !== wanted.toSorted().join()) return { error: 'conflict' }
    // Locks in the order of the IDs to prevent deadlocks. A concurrent request then finds a changed order.
    const cards = new Map<string, StoredCard | null>()
    const sections = new Map<string, MenuSectionRow | null>()
    for (const token of new Set([...wanted, ...before].sort())) {
      const sectionId = sectionIdOf(token)
      if (sectionId === null) cards.set(token, await lockRow(trx, cardRecord, token))
      else sections.set(sectionId, await lockRow(trx, sectionRecord, sectionId))
    }
    const present = await readPresentOrder()
    if (!present) return { error: 'conflict' }
    // Records that the editor's tab has deleted or restored since `seen` stay deleted or restored.
    const sequence = wanted.filter((token) => present.includes(token))
    const isSection = (token: string) => sectionIdOf(token) !== null
    // If sections were deleted or restored, the dishes below these sections would join other sections.
    if (wanted.filter(isSection).toSorted().join() !== present.filter(isSection).toSorted().join())
      return { error: 'conflict' }
    // A restored dish returns to its place in its own section.
    for (const [index, token] of present.entries()) {
      if (sequence.includes(token)) continue
      const start = present.findLastIndex((each, position) => position < index && isSection(each))
      const newStart = start < 0 ? -1 : sequence.indexOf(present[start] ?? '')
      const end = sequence.findIndex((each, position) => position > newStart && isSection(each))
      sequence.splice(Math.min(newStart + index - start, end < 0 ? sequence.length : end), 0, token)
    }
    let hasMoved = false
    let [section, sectionCount, cardCount] = ['', 0, 0]
    for (const token of sequence) {
      const sectionId = sectionIdOf(token)
      if (sectionId !== null) {
        section = sectionId
        const row = sections.get(sectionId)
        sectionCount += 1
        if (!row || row.order === sectionCount) continue
        await change(trx, sectionRecord, row, { order: sectionCount }, save)
      } else {
        const row = cards.get(token)
        // A dish of a deleted section stays in this section until it moves to another one.
        const isHere = row && (sections.has(row.section) ? row.section : '') === section
        cardCount += 1
        if (!row || (isHere && row.order === cardCount)) continue
        await change(trx, cardRecord, row, { order: cardCount, ...(!isHere && { section }) }, save)
      }
      hasMoved = true
    }
    return { ok: hasMoved ? save.id : null }
  })
}

// Returns the current sequence, or null if the editor has not seen it. To compare with `seen`, undoes the tab's own
// saves in memory, newest first.
async function readOrderIfSeen(
  trx: Trx,
  collection: CollectionName,
  { seen, own = [] }: { seen: string[]; own?: RecordRef['own'] },
  { accountId }: Author,
): Promise<string[] | null> {
  const cards = new Map((await listCards(trx, collection, { drafts: true })).map((card) => [card.id, card]))
  const sections = new Map((await listSectionsOf(trx, collection)).map((each) => [each.id, each]))
  const sequenceNow = () => {
    const sortedSections = [...sections.values()].sort(compareSections)
    const sortedCards = [...cards.values()].sort(compareItems(collectionOf(collection).sortedBy))
    return toSequence(groupBySection(sortedSections, sortedCards))
  }
  const present = sequenceNow()
  if (present.join() === seen.join()) return present
  for (const save of own.toReversed()) {
    for (const { subject, subjectId: id, before, after, ...change } of await readSave(trx, save)) {
      const isCard = subject === 'card'
      const [earlier, later] = [before, after] as (StoredCard | null)[]
      if (isCard ? (earlier ?? later)?.collection !== collection : subject !== 'menuSection') continue
      const records = (isCard ? cards : sections) as Map<string, Pick<Card, 'order' | 'section'>>
      const now = records.get(id)
      if (change.accountId !== accountId || now?.order !== later?.order || now?.section !== later?.section) return null
      if (earlier) records.set(id, earlier)
      else records.delete(id)
    }
    if (sequenceNow().join() === seen.join()) return present
  }
  return null
}

export function markSoldOut(db: Db, id: string, soldOut: boolean, author: Author) {
  const save = newSave(author, 'sold out')
  return inTransaction(db, async (trx): Promise<Outcome<string>> => {
    const row = await lockPresent(trx, cardRecord, id)
    if (row?.collection !== 'dining') return { error: 'missing' }
    await change(trx, cardRecord, row, { soldOutAt: soldOut ? author.at : null }, save)
    return { ok: save.id }
  })
}

type SavedPrices = { save: string | null; changed: number; deleted: number }

/** Saves prices of dishes, except deleted ones. A conflict has the prices, by ID, that another author has changed. */
export function savePrices(db: Db, changes: PriceChanges, author: Author) {
  const save = newSave(author, 'save')
  return inTransaction(db, async (trx): Promise<Outcome<SavedPrices, { prices: Record<string, string> }>> => {
    const dishes = new Map((await listCards(trx, 'dining', { drafts: true })).map((dish) => [dish.id, dish]))
    const rows: { row: StoredCard; seen: string; price: string }[] = []
    // Only IDs of dishes are locked, because a form can contain any number of IDs.
    for (const [id, typed] of Object.entries(changes).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const row = dishes.has(id) && (await lockPresent(trx, cardRecord, id))
      if (row) rows.push({ row, ...typed })
    }
    const changed = rows.filter(({ row, seen, price }) => price !== row.price && price !== seen)
    const clashes = changed.filter(({ row, seen }) => row.price !== seen)
    if (clashes.length > 0)
      return { error: 'conflict', prices: Object.fromEntries(clashes.map(({ row }) => [row.id, row.price])) }
    for (const { row, price } of changed) await change(trx, cardRecord, row, { price }, save)
    const deleted = Object.keys(changes).length - rows.length
    return { ok: { save: changed.length > 0 ? save.id : null, changed: changed.length, deleted } }
  })
}

async function checkSection(trx: Trx, id: string | undefined) {
  if (id && !(await readSection(trx, id))) throw new Rejection({ errors: { section: [SECTION_DELETED] } }, 400)
}

const SECTION_DELETED = 'この分類はすでに削除されています。選び直してください。'

function toCard({ deletedAt: _, other: __, ...row }: StoredCard): Card {
  return row
}
