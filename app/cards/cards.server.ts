import type { Kysely, Transaction } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Outcome } from '../forms/outcome.ts'
import { lockNewImages } from '../records/images-in-use.server.ts'
import { merge } from '../records/merge.ts'
import { advanceSeenVersion } from '../records/own-saves.server.ts'
import { newSave, type RecordRef } from '../records/record.ts'
import { add, change, lockPresent, lockRow, remove } from '../records/records.server.ts'
import { readSave, readVersion } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
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

/** Returns the cards of a collection, sorted as on its page. Includes drafts if `drafts` is true: for editors only. */
export async function listCards(
  db: Kysely<Tables>,
  collection: CollectionName,
  { drafts = false } = {},
): Promise<Card[]> {
  const rows = await db
    .selectFrom('cards')
    .selectAll()
    .where('collection', '=', collection)
    .where('deletedAt', 'is', null)
    .$if(!drafts, (query) => query.where('draft', '=', false))
    .execute()
  return rows.map((row) => toCard(row as StoredCard)).sort(compareItems(collectionOf(collection).sortedBy))
}

/** Returns a card, even a draft, or null if it is missing or deleted. */
export async function readCard(db: Kysely<Tables>, id: string) {
  const row = await db
    .selectFrom('cards')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return row ? toCard(row as StoredCard) : null
}

const defaultFields: CardFields = z.object(fieldRules).parse({})

/** Adds a card and returns its ID. The schema must have parsed `cardFields`. `imported` has columns from an import. */
export async function addCard(
  db: Kysely<Tables>,
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
    await lockNewImages(trx, cardRecord, row)
    await add(trx, cardRecord, row, newSave(author, 'add'))
  })
  return row.id
}

type SavedCard = { save: string; item: Card }

/** Result of a save: `save` is null if nothing differed, `merged` is true if others have changed other fields. */
type MergedSave = { save: string | null; item: Card; merged: boolean }

type Conflict = { item: Card; fields: Field[]; mixed: CardFields }

export async function saveCard(
  db: Kysely<Tables>,
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
    const { changes, mixed, clashes } = merge<CardFields>(base && toCard(base), current, submitted)
    if (clashes.length > 0) return { error: 'conflict', item: current, fields: clashes as Field[], mixed }
    const merged = version !== current.version
    if (Object.keys(changes).length === 0) return { ok: { save: null, item: current, merged } }
    await lockNewImages(trx, cardRecord, { ...row, ...changes }, row)
    return { ok: { ...(await changeCard(trx, row, 'save', changes, author)), merged } }
  })
}

export function deleteCard(db: Kysely<Tables>, seen: RecordRef, author: Author) {
  return inTransaction(db, async (trx): Promise<Outcome<SavedCard, { item: Card }>> => {
    const row = await lockPresent(trx, cardRecord, seen.id)
    if (!row) return { error: 'missing' }
    if (row.version !== (await advanceSeenVersion(trx, cardRecord, seen, author)))
      return { error: 'conflict', item: toCard(row) }
    const save = newSave(author, 'delete')
    await remove(trx, cardRecord, row, save)
    return { ok: { save: save.id, item: toCard(row) } }
  })
}

/** Numbers the cards from 1. Only the tab's `own` saves may have changed the order since `seen`; else a conflict. */
export function reorderCards(
  db: Kysely<Tables>,
  collection: CollectionName,
  { seen, wanted, own }: { seen: string[]; wanted: string[]; own?: RecordRef['own'] },
  author: Author,
) {
  const save = newSave(author, 'reorder')
  return inTransaction(db, async (trx): Promise<Outcome<string | null>> => {
    const readPresentOrder = () => readOrderIfSeen(trx, collection, { seen, ...(own && { own }) }, author)
    // Checked before locking too, because a form can contain 500,000 IDs.
    const before = wanted.length === seen.length && (await readPresentOrder())
    if (!before || seen.toSorted().join() !== wanted.toSorted().join()) return { error: 'conflict' }
    // All requests lock in the same order to prevent deadlocks; the second request then finds another order.
    const rows = new Map<string, StoredCard | null>()
    for (const id of new Set([...wanted, ...before].sort())) rows.set(id, await lockRow(trx, cardRecord, id))
    const present = await readPresentOrder()
    if (!present) return { error: 'conflict' }
    // Cards that the editor's tab has deleted or restored since then stay deleted or restored.
    const ids = wanted.filter((id) => present.includes(id))
    for (const [index, id] of present.entries()) if (!ids.includes(id)) ids.splice(index, 0, id)
    let hasMoved = false
    for (const [index, id] of ids.entries()) {
      const row = rows.get(id)
      const order = index + 1
      if (!row || row.order === order) continue
      await change(trx, cardRecord, row, { order }, save)
      hasMoved = true
    }
    return { ok: hasMoved ? save.id : null }
  })
}

// Undoes the tab's own saves in memory, newest first, until the order equals `seen`; null if it never does.
async function readOrderIfSeen(
  trx: Transaction<Tables>,
  collection: CollectionName,
  { seen, own = [] }: { seen: string[]; own?: RecordRef['own'] },
  { accountId }: Author,
): Promise<string[] | null> {
  const items = await listCards(trx, collection, { drafts: true })
  const cards = new Map(items.map((item) => [item.id, item]))
  const idsOf = (cards: Iterable<Card>) =>
    [...cards].sort(compareItems(collectionOf(collection).sortedBy)).map(({ id }) => id)
  const present = idsOf(items)
  if (present.join() === seen.join()) return present
  for (const save of own.toReversed()) {
    for (const { subjectId: id, before, after, ...change } of await readSave(trx, save)) {
      const [earlier, later] = [before, after] as (StoredCard | null)[]
      if ((earlier ?? later)?.collection !== collection) continue
      if (change.accountId !== accountId || cards.get(id)?.order !== later?.order) return null
      if (earlier) cards.set(id, toCard(earlier))
      else cards.delete(id)
    }
    if (idsOf(cards.values()).join() === seen.join()) return present
  }
  return null
}

export function markSoldOut(db: Kysely<Tables>, id: string, soldOut: boolean, author: Author) {
  return inTransaction(db, async (trx): Promise<Outcome<SavedCard>> => {
    const row = await lockPresent(trx, cardRecord, id)
    if (row?.collection !== 'dining') return { error: 'missing' }
    return { ok: await changeCard(trx, row, 'sold out', { soldOutAt: soldOut ? author.at : null }, author) }
  })
}

async function changeCard(
  trx: Transaction<Tables>,
  row: StoredCard,
  action: string,
  columns: Partial<StoredCard>,
  author: Author,
) {
  const save = newSave(author, action)
  const item = toCard(await change(trx, cardRecord, row, columns, save))
  return { save: save.id, item }
}

function toCard({ deletedAt: _, other: __, ...row }: StoredCard): Card {
  return row
}
