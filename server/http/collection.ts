import type { z } from 'zod'
import { Rejection } from '../../app/forms/outcome.ts'
import { ImageMissing } from '../../app/media/images.server.ts'
import type { AnyRecordType, RecordRef } from '../../app/records/record.ts'
import { authorOf, contextOf, type RequestContext } from '../../app/request.ts'

export type Document = Record<string, unknown> & { id: string; version: number }

export type JsonBody = Record<string, unknown>

/** Result of a write. Only the outcome `saved` means that the database has changed. */
export type WriteResult =
  | { outcome: 'saved'; id: string }
  | { outcome: 'newer' | 'missing' }
  | { outcome: 'wrong' | 'taken'; error: string; field?: string | undefined }

type SaveResult = { error?: 'missing' | 'conflict' | undefined } | WriteResult

export type ApiContext = ReturnType<typeof apiContextOf>

function apiContextOf(context: RequestContext) {
  return { ...contextOf(context), context, author: authorOf(context) }
}

// biome-ignore lint/suspicious/noExplicitAny: a list of collections has records of each type
export type Collection<Stored = any, Values = any> = {
  recordType: Pick<AnyRecordType, 'refusal'>
  /** Part of a record that determines the permissions, if these differ between records of the same type. */
  scope?: object
  /** Replaces the permission rule of `recordType`. Returns the reason for a denial, or null if permitted. */
  refusal?(api: ApiContext, action: WriteAction, id: string): Promise<string | null>
  fields(id: string): readonly string[]
  names?: Record<string, string>
  list(api: ApiContext): Promise<Stored[]>
  read(api: ApiContext, id: string): Promise<Stored | null | undefined>
  visible?(api: ApiContext): Promise<(stored: Stored) => boolean>
  documentOf(stored: Stored, api: ApiContext): Document
  /** Checks a write before the body is parsed. `ref` is null when a document is added. */
  check?(api: ApiContext, body: JsonBody, stored: Stored | null, ref: RecordRef | null): WriteResult | null
  schema(id: string, stored: Stored | null): z.ZodType<Values>
  /** Returns the fields of the body. Other fields have their stored value, or the default of a new document. */
  inputOf(body: JsonBody, stored: Stored | null): unknown
  add(api: ApiContext, values: Values, body: JsonBody): Promise<WriteResult>
  change(api: ApiContext, ref: RecordRef, values: Values, from: { body: JsonBody; stored: Stored }): Promise<SaveResult>
  remove(api: ApiContext, ref: RecordRef): Promise<SaveResult>
}

export type WriteAction = 'add' | 'change' | 'remove'

const typeError = { error: () => 'この項目の形が正しくありません' }

export async function readDocuments(collection: Collection, context: RequestContext, id?: string) {
  const api = apiContextOf(context)
  const isVisible = (await collection.visible?.(api)) ?? (() => true)
  const found = id === undefined ? await collection.list(api) : [await collection.read(api, id)]
  return found.filter((stored) => stored && isVisible(stored)).map((stored) => collection.documentOf(stored, api))
}

/** Returns the reason for a denial, or null if the action is permitted. `id` is empty for `add`. */
export async function refusalOf(collection: Collection, context: RequestContext, action: WriteAction, id: string) {
  const api = apiContextOf(context)
  if (collection.refusal) return collection.refusal(api, action, id)
  return collection.recordType.refusal(api.visitor, await api.records.readRule(api.db), collection.scope)
}

export async function writeDocument(
  collection: Collection,
  context: RequestContext,
  ref: RecordRef | null,
  body: JsonBody,
): Promise<WriteResult> {
  const api = apiContextOf(context)
  const stored = ref && (await collection.read(api, ref.id))
  if (ref && !stored) return { outcome: 'missing' }
  const refused = collection.check?.(api, body, stored, ref)
  if (refused) return refused
  const schema = collection.schema(ref?.id ?? String(body.id), stored)
  const read = schema.safeParse(collection.inputOf(body, stored), typeError)
  if (!read.success) {
    const [issue] = read.error.issues
    const field = issue?.path.join('.')
    return { outcome: 'wrong', error: issue?.message ?? '', field: field && (collection.names?.[field] ?? field) }
  }
  try {
    if (!ref) return await collection.add(api, read.data, body)
    return resultOf(ref.id, await collection.change(api, ref, read.data, { body, stored }))
  } catch (error) {
    return toErrorResult(error)
  }
}

export async function removeDocument(collection: Collection, context: RequestContext, ref: RecordRef) {
  try {
    return resultOf(ref.id, await collection.remove(apiContextOf(context), ref))
  } catch (error) {
    return toErrorResult(error)
  }
}

function toErrorResult(error: unknown): WriteResult {
  if (error instanceof ImageMissing) return { outcome: 'wrong', error: error.message, field: 'image' }
  if (!(error instanceof Rejection)) throw error
  // The visitor has lost the permission since the check.
  if (error.status < 404 && error.status > 400) return { outcome: 'missing' }
  const [field = 'shown', [message = error.message] = []] = Object.entries(error.result.errors ?? {})[0] ?? []
  if (error.status === 400) return { outcome: 'wrong', error: message, field }
  return { outcome: 'taken', error: error.message }
}

function resultOf(id: string, saved: SaveResult): WriteResult {
  if ('outcome' in saved) return saved
  if (saved.error) return { outcome: saved.error === 'missing' ? 'missing' : 'newer' }
  return { outcome: 'saved', id }
}

/** Returns the parts of a day, YYYY-MM-DD, as numbers. */
export function splitDay(day: string) {
  const [selectedYear, selectedMonth, selectedDay] = day.split('-').map(Number)
  return { selectedYear, selectedMonth, selectedDay }
}

/** Returns YYYY-MM-DD, without checking that the day exists. */
export function dayOf({ selectedYear, selectedMonth, selectedDay }: JsonBody) {
  const text = (part: unknown) =>
    (typeof part === 'number' || typeof part === 'string' ? `${part}` : '').padStart(2, '0')
  return [selectedYear, selectedMonth, selectedDay].map(text).join('-')
}
