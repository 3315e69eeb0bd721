import type { Kysely, Selectable, Transaction } from 'kysely'
import type { ContentItemRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { holdPicture } from '../media/images.server.ts'
import { readSave, readVersion, recordRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import {
  type CollectionName,
  type ContentFields,
  type ContentItem,
  collections,
  compareItems,
  type Field,
  fields,
} from './content-item.ts'

type Row = Selectable<ContentItemRow>

/** The cards of a collection, sorted as its page shows them; with the `drafts` for those who may edit them. */
export async function listContentItems(
  db: Kysely<Tables>,
  collection: CollectionName,
  { drafts = false } = {},
): Promise<ContentItem[]> {
  const rows = await db
    .selectFrom('contentItems')
    .selectAll()
    .where('collection', '=', collection)
    .where('deletedAt', 'is', null)
    .$if(!drafts, (query) => query.where('draft', '=', 0))
    .execute()
  return rows.map(shown).sort(compareItems(collections[collection].sortedBy))
}

/** A card, a draft too, that was not deleted, else null. */
export async function readContentItem(db: Kysely<Tables>, id: string) {
  const row = await rowOf(db, id)
  return row && row.deletedAt === null ? shown(row) : null
}

const empty: ContentFields = {
  order: null,
  eventDay: null,
  title: '',
  content: '',
  linkUrl: '',
  youtubeUrl: '',
  image: '',
  imageAlt: '',
  text1: '',
  text2: '',
  text3: '',
  price: null,
  allergens: '',
  draft: false,
}

/**
 * Adds a card, its fields already parsed by the collection's schema, and returns its id; `kept` is what an older site
 * already said of it.
 */
export async function addContentItem(
  db: Kysely<Tables>,
  collection: CollectionName,
  given: Partial<ContentFields>,
  author: Author,
  kept: Partial<Pick<Row, 'id' | 'other' | 'createdAt' | 'updatedAt'>> = {},
) {
  const row = {
    id: crypto.randomUUID(),
    collection,
    version: 1,
    ...empty,
    ...given,
    draft: given.draft ? 1 : 0,
    soldOutAt: null,
    other: '',
    createdAt: author.at,
    updatedAt: author.at,
    deletedAt: null,
    ...kept,
  }
  await inTransaction(db, async (trx) => {
    await hold(trx, row.image)
    await trx.insertInto('contentItems').values(row).execute()
    await record(trx, 'add', null, row, author)
  })
  return row.id
}

/** A card as its editor saw it. */
export type Seen = { id: string; version: number }
/** `newer`: somebody was faster, and nothing was changed; `missing`: it is deleted, or never was. */
export type ContentOutcome =
  | { outcome: 'saved'; revision: string; item: ContentItem }
  | { outcome: 'newer'; item: ContentItem }
  | { outcome: 'missing' }
/**
 * `conflict`: somebody else changed the same `fields` meanwhile, and nothing was saved; `item` is as it is now, and
 * `mixed` has the fields that both may agree on, with the editor's own where both changed them.
 */
export type SaveOutcome =
  | Exclude<ContentOutcome, { outcome: 'newer' }>
  | { outcome: 'saved'; revision: null; item: ContentItem }
  | { outcome: 'conflict'; item: ContentItem; fields: Field[]; mixed: ContentFields }

/** Saves what the editor changed of the card as it was seen; what others changed of other fields meanwhile stays. */
export async function saveContentItem(
  db: Kysely<Tables>,
  seen: Seen,
  given: Partial<ContentFields>,
  author: Author,
): Promise<SaveOutcome> {
  return inTransaction(db, async (trx) => {
    const row = await lockedRow(trx, seen.id)
    if (!row || row.deletedAt !== null) return { outcome: 'missing' }
    const now = shown(row)
    const base = seen.version === now.version ? now : await versionOf(trx, seen)
    const own = Object.keys(given) as Field[]
    const changed = own.filter((field) => given[field] !== now[field] && given[field] !== base?.[field])
    const changes: Partial<ContentFields> = Object.fromEntries(changed.map((field) => [field, given[field]]))
    const conflicting = changed.filter((field) => base?.[field] !== now[field])
    if (conflicting.length > 0)
      return { outcome: 'conflict', item: now, fields: conflicting, mixed: { ...now, ...changes } }
    if (changed.length === 0) return { outcome: 'saved', revision: null, item: now }
    await hold(trx, changes.image)
    return change(trx, row, 'save', stored(changes), author)
  })
}

/** Puts a card that was seen at its present version into the bin. */
export function deleteContentItem(db: Kysely<Tables>, { id, version }: Seen, author: Author) {
  return inTransaction(db, async (trx): Promise<ContentOutcome> => {
    const row = await lockedRow(trx, id)
    if (!row || row.deletedAt !== null) return { outcome: 'missing' }
    if (row.version !== version) return { outcome: 'newer', item: shown(row) }
    return change(trx, row, 'delete', { deletedAt: author.at }, author)
  })
}

/** Takes a card out of the bin as it was; `missing` where it is not there. */
export function restoreContentItem(db: Kysely<Tables>, id: string, author: Author) {
  return inTransaction(db, async (trx): Promise<ContentOutcome> => {
    const row = await lockedRow(trx, id)
    if (!row || row.deletedAt === null) return { outcome: 'missing' }
    return change(trx, row, 'restore', { deletedAt: null }, author)
  })
}

/** The cards that were deleted since an instant (ISO 8601 in UTC), the last one first. */
export function listDeletedContentItems(db: Kysely<Tables>, since: string) {
  return db
    .selectFrom('contentItems')
    .select(['id', 'collection', 'title', 'text1', 'deletedAt'])
    .where('deletedAt', '>=', since)
    .$narrowType<{ collection: CollectionName; deletedAt: string }>()
    .orderBy('deletedAt', 'desc')
    .execute()
}

/** Which collection a card in the bin is of; null where it is not there. */
export async function collectionOfDeleted(db: Kysely<Tables>, id: string) {
  const row = await rowOf(db, id)
  return row?.deletedAt ? (row.collection as CollectionName) : null
}

/** Makes a card again what it was right after a revision of it, from the bin too. */
export function putBackContentItem(db: Kysely<Tables>, revisionId: string, author: Author) {
  return inTransaction(db, async (trx): Promise<ContentOutcome> => {
    const revision = (await readSave(trx, 'contentItem', revisionId)).find(({ id }) => id === revisionId)
    const row = revision && (await lockedRow(trx, revision.subjectId))
    if (!row || !revision.after) return { outcome: 'missing' }
    const then = Object.fromEntries(fields.map((field) => [field, (revision.after as Row)[field]]))
    return change(trx, row, 'put back', { ...then, deletedAt: null }, author)
  })
}

/** Takes a save back, whole: an edit, an addition, a deletion, a new order. Null where one of its cards was changed since. */
export function takeBackContent(db: Kysely<Tables>, revisionId: string, author: Author) {
  return inTransaction(db, async (trx) => {
    let revision: string | null = null
    for (const { subjectId, before, after } of await readSave(trx, 'contentItem', revisionId)) {
      const row = await lockedRow(trx, subjectId)
      const seen = (after as Row | null)?.version ?? ((before as Row | null)?.version ?? 0) + 1
      if (row?.version !== seen) throw new ChangedSince()
      const then = before ? (before as Row) : { deletedAt: author.at }
      const { revision: made } = await change(trx, row, 'take back', then, author)
      revision = made
    }
    return revision
  }).catch((error) => {
    if (error instanceof ChangedSince) return null
    throw error
  })
}

class ChangedSince extends Error {}

/**
 * Puts the cards of a collection that is sorted by its order from the order that the editor saw into another, numbered
 * from 1; `newer` where they are not in that order any more, and nothing is changed.
 */
export function reorderContentItems(
  db: Kysely<Tables>,
  collection: CollectionName,
  { seen, wanted }: { seen: string[]; wanted: string[] },
  author: Author,
) {
  return inTransaction(
    db,
    async (trx): Promise<{ outcome: 'saved'; revision: string | null } | { outcome: 'newer' }> => {
      const isAsSeen = async () => {
        const items = await listContentItems(trx, collection, { drafts: true })
        return seen.join() === items.map(({ id }) => id).join()
      }
      if (seen.toSorted().join() !== wanted.toSorted().join() || !(await isAsSeen())) return { outcome: 'newer' }
      // Locked in one order by everyone, so that two at once do not wait for each other; the second then finds another order.
      for (const id of wanted.toSorted()) await lockedRow(trx, id)
      if (!(await isAsSeen())) return { outcome: 'newer' }
      let revision: string | null = null
      for (const [place, id] of wanted.entries()) {
        const row = await rowOf(trx, id)
        const order = place + 1
        if (!row || row.order === order) continue
        const made = await change(trx, row, 'reorder', { order }, author)
        revision = made.revision
      }
      return { outcome: 'saved', revision }
    },
  )
}

/** Says of a dish that it is sold out for today, or that it is not. */
export function markSoldOut(db: Kysely<Tables>, id: string, soldOut: boolean, author: Author) {
  return inTransaction(db, async (trx): Promise<ContentOutcome> => {
    const row = await lockedRow(trx, id)
    if (row?.collection !== 'dining' || row.deletedAt !== null) return { outcome: 'missing' }
    return change(trx, row, 'sold out', { soldOutAt: soldOut ? author.at : null }, author)
  })
}

/** The picture of a card was removed before the card was saved; nothing was changed. */
export class PictureGone extends Error {
  override message = '写真が見つかりません。もう一度お選びください。'
}

async function hold(trx: Transaction<Tables>, image = '') {
  if (!(await holdPicture(trx, image))) throw new PictureGone()
}

async function change(trx: Transaction<Tables>, before: Row, action: string, changed: Partial<Row>, author: Author) {
  const after = await trx
    .updateTable('contentItems')
    .set({ ...changed, version: before.version + 1, updatedAt: author.at })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const revision = await record(trx, action, before.deletedAt ? null : before, after.deletedAt ? null : after, author)
  return { outcome: 'saved' as const, revision, item: shown(after) }
}

function record(trx: Transaction<Tables>, action: string, before: Row | null, after: Row | null, author: Author) {
  const subjectId = (after ?? before)?.id ?? ''
  return recordRevision(trx, { subject: 'contentItem', subjectId, action, before, after }, author)
}

// Who comes second waits here for who came first, and then reads what that one has written.
async function lockedRow(trx: Transaction<Tables>, id: string) {
  await trx
    .updateTable('contentItems')
    .set((row) => ({ version: row.ref('version') }))
    .where('id', '=', id)
    .execute()
  return rowOf(trx, id)
}

function rowOf(db: Kysely<Tables>, id: string) {
  return db.selectFrom('contentItems').selectAll().where('id', '=', id).executeTakeFirst()
}

// What the editor saw, from the history and not from the browser.
async function versionOf(trx: Transaction<Tables>, { id, version }: Seen) {
  const row = await readVersion<Row>(trx, { subject: 'contentItem', subjectId: id, version })
  return row && shown(row)
}

function shown({ deletedAt: _, other: __, draft, ...row }: Row): ContentItem {
  return { ...row, collection: row.collection as CollectionName, draft: draft === 1 }
}

function stored<Given extends Partial<ContentFields>>({ draft, ...given }: Given) {
  return { ...given, ...(draft === undefined ? {} : { draft: draft ? 1 : 0 }) }
}
