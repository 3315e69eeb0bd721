import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { answered, failed } from '../forms/answered.server.ts'
import { once, type Sending } from '../forms/once.server.ts'
import { type FieldErrors, SAVE_FAILED, undoOf } from '../forms/save-answer.ts'
import { PictureGone, receivePicture } from '../media/images.server.ts'
import { mayEditCollection, refusedCollection } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { ownDeletion, seenIn } from '../records/own-saves.server.ts'
import type { Seen, SeenVersion } from '../records/record.ts'
import { lastRevision } from '../records/revisions.server.ts'
import { type Author, authorOf, contextOf, type RequestContext } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { fieldErrors } from '../ui/field-errors.ts'
import { httpsAdded, withHttps } from '../ui/safe-link.ts'
import { allergens } from './allergens.ts'
import { type Card, type CollectionName, cardSchema, collectionOf, type Field, fields, isSpecified } from './card.ts'
import type { CardAnswer } from './card-answer.ts'
import { cardRecord, type StoredCard } from './card-record.server.ts'
import { type Values, valuesIn, valuesOf } from './card-values.ts'
import { addCard, deleteCard, listCards, readCard, saveCard } from './cards.server.ts'
import { seesCards } from './cards-of-page.server.ts'
import { nameOf } from './editing.ts'

export async function editing(context: RequestContext, collection: CollectionName) {
  const { db, visitor } = contextOf(context)
  const site = await readSite(db)
  return {
    mayEdit: mayEditCollection(visitor, collection, site),
    refusal: refusedCollection(visitor, collection, site),
  }
}

export async function readBlank(context: RequestContext, collection: CollectionName): Promise<Partial<Card>> {
  if (collectionOf(collection).sortedBy !== 'order') return {}
  const items = await listCards(contextOf(context).db, collection, { drafts: true })
  return { order: Math.max(0, ...items.map(({ order }) => order ?? 0)) + 1 }
}

/** Returns a card and the visitor's rights. Returns null and logs a warning if the card is missing or not visible. */
export async function readToEdit(context: RequestContext, id: string) {
  const item = await readCard(contextOf(context).db, id)
  const rights = item && (await editing(context, item.collection))
  const sees = item && rights && (rights.mayEdit || (!item.draft && (await seesCards(context, item.collection))))
  if (sees) return { item, ...rights }
  contextOf(context).log.warn({ id: id.slice(0, 64) }, 'missing document')
  return null
}

const words = {
  added: '追加しました。',
  saved: '保存しました。',
  unchanged: '変わったところはありませんでした。',
  merged: 'ほかの方の変更とあわせて保存しました。',
  deleted: '削除しました。',
}

/** Successful save; `undo` is the ID of the save, or null if nothing changed. */
type Saved = { done: keyof typeof words; id: string; collection: CollectionName; undo: string | null }
const formFields = [
  ...['intent', 'version', 'once', 'collection', 'id', 'confirmed'],
  ...fields.flatMap((field) => [field, `choice.${field}`]),
  ...['eventDayYear', 'eventDayMonth', 'eventDayDay'],
]

/** Parses the card form, with the image files that a browser without JavaScript uploads. */
export function readCardForm(request: Request) {
  return readForm(request, formFields, {
    several: { allergens: allergens.length },
    file: ['imageFile', 'portraitImageFile'],
  })
}

type About = ({ id: string } | { collection: CollectionName | null }) & { sheet?: boolean }
type Result = Partial<CardAnswer> & { status: number; saved?: Saved }
/** A form that has passed the permission check. */
type Received = {
  db: Kysely<Tables>
  author: Author
  sending: Sending
  sent: (name: string) => string
  seen: Required<SeenVersion>
  values: Values
  generic: boolean
}

/** Handles a form about the card with this `id`, or about a new card of the `collection`. */
export async function receiveCard(context: RequestContext, request: Request, form: FormData, about: About) {
  const { status, saved, ...said } = await resultOf(context, form, about).catch((error): Result => {
    const values = valuesIn(form)
    if (error instanceof PictureGone) {
      const field = error.url === values.image ? 'image' : 'portraitImage'
      return { status: 400, errors: { [field]: [error.message] }, values }
    }
    const [status, said] = failed(context, error)
    return { status, ...said, values }
  })
  const answer = { intent: String(form.get('intent') ?? ''), version: seenIn(form).version, ...said }
  if (!saved) return answered<CardAnswer>(request, answer, status)
  const { done, undo } = saved
  const back = undo && { undo: undoOf(undo) }
  return answered<CardAnswer>(request, { ...answer, done: words[done], ...back, to: addressAfter(saved) }, status)
}

async function resultOf(context: RequestContext, form: FormData, about: About): Promise<Result> {
  const { db, visitor } = contextOf(context)
  const author = authorOf(context)
  const sent = (name: string) => String(form.get(name) ?? '')
  const [intent, values] = [sent('intent'), valuesIn(form)]
  const of = { owner: author.accountId ?? '', form: `card ${intent} ${Object.values(about)}` }
  const sending = { ...of, key: sent('once').slice(0, 64), at: author.at }

  const found = 'id' in about ? await readToEdit(context, about.id) : null
  // A repeated deletion whose first response was lost returns the first result.
  if ('id' in about && !found) {
    const seen = { id: about.id, ...seenIn(form) }
    return once(db, sending, (trx) => receiveGone(trx, { seen, intent, author }))
  }
  const collection = found?.item.collection ?? ('collection' in about ? about.collection : null)
  if (!collection) return { status: 400, trouble: '何のページの項目かが分かりませんでした。' }
  if (!isSpecified(collection) && !(await seesCards(context, collection))) return { status: 404, trouble: NO_PAGE }
  const { mayEdit, refusal } = found ?? (await editing(context, collection))
  if (!mayEdit) return { status: visitor ? 403 : 401, trouble: refusal, signIn: !visitor, values }
  for (const [into, box] of [
    ['image', collection === 'home' ? 'screen' : 'card'],
    ['portraitImage', 'portrait'],
  ] as const) {
    const refused = await receivePicture(db, form, { into, box, from: `${into}File` }, author)
    if (refused) return { status: 400, errors: { [into]: [refused] }, values: valuesIn(form) }
  }
  const given = { db, author, sending, sent, seen: seenIn(form), values: valuesIn(form), generic: !about.sheet }
  if (!found && intent === 'add') return receiveNew(given, collection)
  if (found && intent === 'save') return receiveChanges(given, found.item)
  if (found && intent === 'delete') return receiveDeletion(given, found.item)
  return { status: 400, trouble: SAVE_FAILED }
}

async function receiveGone(
  db: Kysely<Tables>,
  { seen, intent, author }: { seen: Seen; intent: string; author: Author },
): Promise<Result> {
  const own = intent === 'delete' && (await ownDeletion(db, cardRecord, seen, author))
  if (!own) return { status: 404, trouble: GONE }
  const { collection } = own.before as StoredCard
  return { status: 200, saved: { done: 'deleted', id: seen.id, collection, undo: own.saveId } }
}

// For pages without JavaScript, the response contains the link with https:// added.
function wrong(errors: FieldErrors, values: Values): Result {
  const linkUrl = errors.linkUrl && withHttps(values.linkUrl)
  if (!linkUrl) return { status: 400, errors, values }
  return { status: 400, errors: { ...errors, linkUrl: [httpsAdded] }, values: { ...values, linkUrl } }
}

async function receiveNew(received: Received, collection: CollectionName): Promise<Result> {
  const { db, author, sending, values, generic } = received
  const read = cardSchema(collection, { generic }).safeParse(values)
  if (!read.success) return wrong(fieldErrors(read.error.issues), values)
  const saved = await once(db, sending, async (trx): Promise<Saved> => {
    const id = await addCard(trx, collection, read.data, author)
    return { done: 'added', id, collection, undo: (await lastRevision(trx, 'card', id))?.saveId ?? null }
  })
  return { status: 200, saved }
}

async function receiveChanges(received: Received, item: Card): Promise<Result> {
  const { db, author, sending, sent, seen, values, generic } = received
  // A conflicting field is not saved if the editor chose the other person's value.
  const given = (Object.keys(values) as Field[]).filter((field) => sent(`choice.${field}`) !== 'theirs')
  const chosen = { ...valuesOf(item), ...Object.fromEntries(given.map((field) => [field, values[field]])) }
  const read = cardSchema(item.collection, { generic, stored: item }).safeParse(chosen)
  if (!read.success) return wrong(fieldErrors(read.error.issues), values)
  const fields = Object.fromEntries(Object.entries(read.data).filter(([name]) => given.includes(name as Field)))
  return once(db, sending, async (trx): Promise<Result> => {
    const result = await saveCard(trx, { id: item.id, ...seen }, fields, author)
    if (result.outcome === 'missing') return { status: 404, trouble: GONE, values }
    if (result.outcome === 'conflict') {
      const conflict = { fields: result.fields, theirs: valuesOf(result.item), version: result.item.version }
      return { status: 409, conflict, values: valuesOf(result.mixed) }
    }
    const done = !result.save ? 'unchanged' : result.merged ? 'merged' : 'saved'
    return { status: 200, saved: { done, id: item.id, collection: item.collection, undo: result.save } }
  })
}

async function receiveDeletion({ db, author, sending, sent, seen, values }: Received, item: Card): Promise<Result> {
  const { version } = seen
  if (sent('confirmed') !== 'yes') return { status: 200, asking: { name: nameOf(item), version, newer: false }, values }
  return once(db, sending, async (trx): Promise<Result> => {
    const result = await deleteCard(trx, { id: item.id, ...seen }, author)
    if (result.outcome === 'missing') return { status: 404, trouble: GONE }
    const { id, collection } = item
    if (result.outcome === 'saved')
      return { status: 200, saved: { done: 'deleted', id, collection, undo: result.save } }
    return { status: 409, asking: { name: nameOf(result.item), version: result.item.version, newer: true }, values }
  })
}

const NO_PAGE = 'このページは見つかりません。すでに削除されているようです。'
const GONE = 'この項目は見つかりません。すでに削除されているようです。'

function addressAfter({ done, id, collection, undo }: Saved) {
  const query = new URLSearchParams(undo ? { done, undo } : { done })
  return `${collectionOf(collection).path}?${query}${done === 'deleted' ? '' : `#card-${id}`}`
}
