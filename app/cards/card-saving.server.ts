import { timeInJapan } from '../dates/japan.ts'
import { type ActionArgs, formAction, type Submission } from '../forms/form-action.server.ts'
import { runOnce, type SubmissionKey, submissionKeyOf } from '../forms/idempotency.server.ts'
import { denied, Rejection, unwrap } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { SAVE_FAILED, undoOf } from '../forms/save-result.ts'
import { doneTexts } from '../forms/toast.ts'
import { mayEditCollection, refusedCollection } from '../permissions.ts'
import { findOwnDeletion } from '../records/own-saves.server.ts'
import { lastRevision } from '../records/revisions.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { isCardShown } from '../sections/shown.ts'
import { readSite } from '../settings/site.server.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { allergens } from './allergens.ts'
import { type Card, type CollectionName, cardSchema, collectionOf, type Field, fields, isSpecified } from './card.ts'
import { readCardValues, toCardValues } from './card-form-values.ts'
import { cardRecord, type StoredCard } from './card-record.server.ts'
import type { CardResult } from './card-result.ts'
import { addCard, deleteCard, listCards, listSectionsOf, readCard, saveCard } from './cards.server.ts'
import { canSeeCards } from './cards-of-page.server.ts'
import { cardName } from './editing.ts'
import { marks } from './marks.ts'
import { recommendedAllergens } from './recommended-allergens.ts'

export async function readEditing(context: RequestContext, collection: CollectionName) {
  const { db, visitor } = contextOf(context)
  const site = await readSite(db)
  return {
    sections: (await listSectionsOf(db, collection)).map(({ id, name }) => ({ id, name })),
    mayEdit: mayEditCollection(visitor, collection, site),
    refusal: refusedCollection(visitor, collection, site),
  }
}

export async function readNewCard(context: RequestContext, collection: CollectionName): Promise<Partial<Card>> {
  if (collectionOf(collection).sortedBy !== 'order') return {}
  const items = await listCards(contextOf(context).db, collection, { drafts: true })
  return { order: Math.max(0, ...items.map(({ order }) => order ?? 0)) + 1 }
}

/** Returns the values of a duplicate, which comes directly after the dish. Returns null if the dish is missing. */
export async function readDuplicate(context: RequestContext, id: string): Promise<Partial<Card> | null> {
  const original = await readCardToEdit(context, id)
  if (original?.item.collection !== 'dining') return null
  const { item } = original
  const dishes = await listCards(contextOf(context).db, 'dining', { drafts: true })
  const next = dishes[dishes.findIndex((dish) => dish.id === id) + 1]
  const order = item.order === null ? null : (item.order + (next?.order ?? item.order + 2)) / 2
  // A variant often has other ingredients, so the editor confirms its allergens again.
  return { ...item, order, allergensConfirmed: false }
}

/** Returns null and logs a warning if the card is missing or hidden from the visitor. */
export async function readCardToEdit(context: RequestContext, id: string) {
  const item = await readCard(contextOf(context).db, id)
  const rights = item && (await readEditing(context, item.collection))
  const isVisible = item && rights && (rights.mayEdit || (await isPublic(context, item)))
  if (isVisible) return { item, ...rights }
  contextOf(context).log.warn({ id: id.slice(0, 64) }, 'missing document')
  return null
}

async function isPublic(context: RequestContext, item: Card) {
  const { db, clock } = contextOf(context)
  const sections = await listSectionsOf(db, item.collection)
  return isCardShown(item, sections, timeInJapan(clock())) && canSeeCards(context, item.collection)
}

const UNKNOWN_COLLECTION = 'どのページの項目か分かりませんでした。'
const PAGE_MISSING = 'このページは見つかりません。すでに削除されているようです。'
const MISSING = 'この項目は見つかりません。すでに削除されているようです。'

const formFields = [
  ...['intent', 'version', 'once', 'collection', 'id'],
  ...fields.flatMap((field) => [field, `choice.${field}`]),
  ...['eventDayYear', 'eventDayMonth', 'eventDayDay'],
]

const several = { marks: marks.length, allergens: allergens.length + recommendedAllergens.length }

type Target = { id: string } | { collection: CollectionName | null }

/** Returns the action of a card form. The form in the sheet over the dining page has fewer required fields. */
export function cardAction(targetOf: (args: ActionArgs) => Target, { sheet = false } = {}) {
  return formAction<CardResult>({ fields: formFields, several }, async (submission) => {
    const target = targetOf(submission)
    const { db } = submission
    const isNext = submission.intent === 'add next'
    const intent = isNext ? 'add' : submission.intent
    const form = `card ${intent} ${Object.values(target)}${sheet ? ',true' : ''}`
    const submissionKey = submissionKeyOf(submission, form)
    if ('collection' in target) {
      const { collection } = target
      if (!collection) throw new Rejection(UNKNOWN_COLLECTION, 400)
      await checkRights(submission, collection, await readEditing(submission.context, collection))
      if (intent === 'add') {
        const added = await add(submission, collection, { submissionKey, sheet })
        return isNext ? stay(submission, collection, added) : added
      }
    } else {
      const cardToEdit = await readCardToEdit(submission.context, target.id)
      if (!cardToEdit)
        return runOnce(db, submissionKey, (trx) => replyToRepeatedDeletion({ ...submission, db: trx }, target.id))
      await checkRights(submission, cardToEdit.item.collection, cardToEdit)
      if (intent === 'save') return save(submission, cardToEdit.item, { submissionKey, sheet })
      if (intent === 'delete') return remove(submission, cardToEdit.item, submissionKey)
    }
    throw new Rejection(SAVE_FAILED, 400)
  })
}

type Rights = { mayEdit: boolean; refusal: string }

async function checkRights({ context, visitor }: Submission, collection: CollectionName, rights: Rights) {
  if (!isSpecified(collection) && !(await canSeeCards(context, collection))) throw new Rejection(PAGE_MISSING, 404)
  if (!rights.mayEdit) throw denied(visitor, rights.refusal)
}

type SaveOptions = { submissionKey: SubmissionKey; sheet: boolean }

function add({ db, form, author }: Submission, collection: CollectionName, { submissionKey, sheet }: SaveOptions) {
  const card = parseValues(cardSchema(collection, { generic: !sheet }), readCardValues(form))
  return runOnce(db, submissionKey, async (trx) => {
    const id = await addCard(trx, collection, card, author)
    return successReply('added', { id, collection }, (await lastRevision(trx, 'card', id))?.saveId ?? null)
  })
}

// The form stays open for the next card, which belongs to the same section.
async function stay({ context, field }: Submission, collection: CollectionName, { to: _, ...added }: CardResult) {
  const blank = { ...(await readNewCard(context, collection)), section: field('section') }
  return { ...added, done: `「${cleanLine(field('title'))}」を追加しました。`, blank }
}

function save({ db, form, field, seen, author }: Submission, item: Card, { submissionKey, sheet }: SaveOptions) {
  const values = readCardValues(form)
  const ownFields = (Object.keys(values) as Field[]).filter((name) => field(`choice.${name}`) !== 'theirs')
  const chosenValues = { ...toCardValues(item), ...Object.fromEntries(ownFields.map((name) => [name, values[name]])) }
  const card = parseValues(cardSchema(item.collection, { generic: !sheet, stored: item }), chosenValues)
  const changes = Object.fromEntries(Object.entries(card).filter(([name]) => ownFields.includes(name as Field)))
  return runOnce(db, submissionKey, async (trx) => {
    const result = await saveCard(trx, { id: item.id, ...seen }, changes, author)
    if (result.error === 'conflict') {
      const conflict = { fields: result.fields, theirs: toCardValues(result.item), version: result.item.version }
      return { status: 409, conflict, values: toCardValues(result.mixed) }
    }
    const { save, merged } = unwrap(result, { missing: MISSING })
    return successReply(!save ? 'unchanged' : merged ? 'merged' : 'saved', item, save)
  })
}

function remove({ db, seen, author }: Submission, item: Card, sending: SubmissionKey) {
  return runOnce(db, sending, async (trx) => {
    const result = await deleteCard(trx, { id: item.id, ...seen }, author)
    if (result.error === 'conflict')
      return { status: 409, changed: { name: cardName(result.row), version: result.row.version } }
    return successReply('deleted', item, unwrap(result, { missing: MISSING }))
  })
}

// Returns the first result again when a deletion is repeated because its response was lost.
async function replyToRepeatedDeletion({ db, seen, intent, author }: Submission, id: string) {
  const deletion = intent === 'delete' && (await findOwnDeletion(db, cardRecord, { id, ...seen }, author))
  if (!deletion) throw new Rejection(MISSING, 404)
  return successReply('deleted', { id, collection: (deletion.before as StoredCard).collection }, deletion.saveId)
}

function successReply(
  done: keyof typeof doneTexts,
  { id, collection }: Pick<Card, 'id' | 'collection'>,
  save: string | null,
) {
  const query = new URLSearchParams(save ? { done, undo: save } : { done })
  const to = `${collectionOf(collection).path}?${query}${done === 'deleted' ? '' : `#card-${id}`}`
  return { status: 200, done: doneTexts[done], ...(save && { undo: undoOf(save) }), to }
}
