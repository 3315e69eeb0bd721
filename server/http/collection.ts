import type { z } from 'zod'
import { Rejection } from '../../app/forms/outcome.ts'
import { ImageMissing } from '../../app/media/images.server.ts'
import type { AnyRecordType, RecordRef } from '../../app/records/record.ts'
import { authorOf, contextOf, type RequestContext } from '../../app/request.ts'

/** A document as the API returns it: flat, with the specification's field names. */
export type Document = Record<string, unknown> & { id: string; version: number }

/** The JSON body of a write. */
export type Given = Record<string, unknown>

/** The result of a write. Only `saved` means a change. */
export type Outcome =
  | { outcome: 'saved'; id: string }
  | { outcome: 'newer' | 'missing' }
  | { outcome: 'wrong' | 'taken'; error: string; field?: string | undefined }

/** The result of a write here, or of a function of `app/` that saves or deletes a record. */
type Saved = { error?: 'missing' | 'conflict' | undefined } | Outcome

export type Asked = ReturnType<typeof askedIn>

function askedIn(context: RequestContext) {
  return { ...contextOf(context), context, author: authorOf(context) }
}

/** Declares how a record type is read and written as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a list of collections has records of each type
export type Collection<Stored = any, Values = any> = {
  kind: Pick<AnyRecordType, 'refusal'>
  /** The part of a row that determines permissions, if the rules differ between records of the type. */
  scope?: object
  /** Replaces the permission rule of `kind`. Returns the reason why the visitor may not write; null if permitted. */
  refusal?(asked: Asked, deed: Deed, id: string): Promise<string | null>
  /** Returns the names of the fields that a write may contain. */
  fields(id: string): readonly string[]
  /** Names of fields in errors, if they differ from those of the schema. */
  names?: Record<string, string>
  /** Returns the records, or those with the ID. */
  find(asked: Asked, id?: string): Promise<Stored[]>
  /** Returns a filter of the records that the visitor may see; by default all. */
  visible?(asked: Asked): Promise<(stored: Stored) => boolean>
  documentOf(stored: Stored, asked: Asked): Document
  /** Rejects a write before it is parsed. `seen` is null when a document is added. */
  check?(asked: Asked, given: Given, stored: Stored | null, seen: RecordRef | null): Outcome | null
  schema(id: string, stored: Stored | null): z.ZodType<Values>
  /** Returns the input of the schema: the given fields over the stored or the default ones. */
  inputOf(given: Given, stored: Stored | null): unknown
  add(asked: Asked, values: Values, given: Given): Promise<Outcome>
  change(asked: Asked, seen: RecordRef, values: Values, from: { given: Given; stored: Stored }): Promise<Saved>
  remove(asked: Asked, seen: RecordRef): Promise<Saved>
}

export type Deed = 'add' | 'change' | 'remove'

/** The error message for a value of an unexpected JSON type. */
const inJapanese = { error: () => 'この項目の形が正しくありません' }

/** Returns the documents that the visitor may see; with an ID, one or none. */
export async function readDocuments(collection: Collection, context: RequestContext, id?: string) {
  const asked = askedIn(context)
  const sees = (await collection.visible?.(asked)) ?? (() => true)
  const found = await collection.find(asked, id)
  return found.filter(sees).map((stored) => collection.documentOf(stored, asked))
}

/** Returns the reason why the visitor may not write; null if permitted. `id` is empty for `add`. */
export async function refusalOf(collection: Collection, context: RequestContext, deed: Deed, id: string) {
  const asked = askedIn(context)
  if (collection.refusal) return collection.refusal(asked, deed, id)
  return collection.kind.refusal(asked.visitor, await asked.records.readRule(asked.db), collection.scope)
}

/** Adds the document, or changes the one that the client has `seen`. */
export async function writeDocument(
  collection: Collection,
  context: RequestContext,
  seen: RecordRef | null,
  given: Given,
): Promise<Outcome> {
  const asked = askedIn(context)
  const stored = seen && ((await collection.find(asked, seen.id))[0] ?? null)
  if (seen && !stored) return { outcome: 'missing' }
  const refused = collection.check?.(asked, given, stored, seen)
  if (refused) return refused
  const schema = collection.schema(seen?.id ?? String(given.id), stored)
  const read = schema.safeParse(collection.inputOf(given, stored), inJapanese)
  const { names } = collection
  if (!read.success) return wrong(read.error.issues, names)
  try {
    if (!seen) return await collection.add(asked, read.data, given)
    return outcomeOf(seen.id, await collection.change(asked, seen, read.data, { given, stored }))
  } catch (error) {
    return rejected(error)
  }
}

export async function removeDocument(collection: Collection, context: RequestContext, seen: RecordRef) {
  try {
    return outcomeOf(seen.id, await collection.remove(askedIn(context), seen))
  } catch (error) {
    return rejected(error)
  }
}

function rejected(error: unknown): Outcome {
  if (error instanceof ImageMissing) return wrong([{ path: ['image'], message: error.message }])
  if (!(error instanceof Rejection)) throw error
  // The visitor lost the permission after it was checked.
  if (error.status < 404 && error.status > 400) return { outcome: 'missing' }
  if (error.status === 400) return wrong([{ path: ['shown'], message: error.message }])
  return { outcome: 'taken', error: error.message }
}

function outcomeOf(id: string, saved: Saved): Outcome {
  if ('outcome' in saved) return saved
  if (saved.error) return { outcome: saved.error === 'missing' ? 'missing' : 'newer' }
  return { outcome: 'saved', id }
}

/** Returns the first validation error; `names` maps field names to those of the specification. */
export function wrong(issues: { path: PropertyKey[]; message: string }[], names: Record<string, string> = {}): Outcome {
  const [issue] = issues
  const field = issue?.path.join('.')
  return { outcome: 'wrong', error: issue?.message ?? '', field: field && (names[field] ?? field) }
}

/** Joins the three parts of a day to YYYY-MM-DD without checking that the day exists. */
export function dayOf({ selectedYear, selectedMonth, selectedDay }: Given) {
  const text = (part: unknown) =>
    (typeof part === 'number' || typeof part === 'string' ? `${part}` : '').padStart(2, '0')
  return [selectedYear, selectedMonth, selectedDay].map(text).join('-')
}
