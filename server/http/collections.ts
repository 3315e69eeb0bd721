import { isDeepStrictEqual } from 'node:util'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { collectionNames } from '../../app/cards/card.ts'
import { failureInWords } from '../../app/forms/answered.server.ts'
import { isOwnPageId } from '../../app/pages/own-page.ts'
import { BodyRefused, withBody } from '../../app/platform/body.server.ts'
import type { Seen } from '../../app/records/record.ts'
import { contextOf, type RequestContext } from '../../app/request.ts'
import { businessDays, events, specialDays } from './collections-of-calendar.ts'
import { cardCollection } from './collections-of-cards.ts'
import { members } from './collections-of-members.ts'
import { hasCardsOf, pages } from './collections-of-pages.ts'

/** A document as it is read from outside: flattened, under the specification's names. */
export type Document = Record<string, unknown> & { id: string; version: number }

/** What became of a write; `newer` and `taken` changed nothing. */
export type Outcome =
  | { outcome: 'saved'; id: string }
  | { outcome: 'newer' | 'missing' }
  | { outcome: 'wrong' | 'taken'; error: string; field?: string | undefined }

/** A collection of documents, read and written by the verbs of its feature, for whoever asks. */
export type Collection = {
  /** The documents that this visitor may read. */
  list(context: RequestContext): Promise<Document[]>
  read(context: RequestContext, id: string): Promise<Document | null>
  /** The names of the fields that a write to the document of this ID may have. */
  fields(id: string): readonly string[]
  /** Why this visitor may not add one, or do that to the one of that id; null where they may. */
  refusal(context: RequestContext, deed: 'add' | 'change' | 'remove', id: string): Promise<string | null>
  add(context: RequestContext, given: Given): Promise<Outcome>
  change(context: RequestContext, seen: Seen, given: Given): Promise<Outcome>
  remove(context: RequestContext, seen: Seen): Promise<Outcome>
}
export type Given = Record<string, unknown>

const collections = new Map<string, Collection>([
  ...collectionNames.map((name) => [name, cardCollection(name)] as const),
  ['pages', pages],
  ['members', members],
  ['events', events],
  ['bussinessDays', businessDays],
  ['bussinessDaysSpecial', specialDays],
])

const MOST = 256 * 1024
// Names that a document is read with: a client may send a document back whole.
const READ_ONLY = ['id', 'version', 'created_at', 'updated_at', 'createdAt', 'updatedAt', 'eventdatestring']

const words = {
  unknown: 'この名前の一覧はありません。',
  missing: '見つかりませんでした。',
  newer: 'ほかの方が先に変更しました。いまの内容をご確認ください。',
  noVersion: 'いまの内容の version をお送りください。',
  noJson: 'JSON（application/json）でお送りください。',
  unreadable: '送られた内容を読めませんでした。',
  unknownField: (name: string) => `「${name.slice(0, 40)}」という項目はありません。`,
}

type Env = { Variables: { context: RequestContext; collection: Collection } }
type Asked = Context<Env>

/** The reason for a response with status 405. */
export const WRONG_METHOD = 'この方法ではお受けできません。'

/** GET, POST, PATCH and DELETE of the site's collections as JSON; `loadContext` resolves who asks, and of what site. */
export function collectionsApi(log: Logger, loadContext: (c: Context) => Promise<RequestContext>) {
  const api = new Hono<Env>()

  api.use('/:name/*', async (c, next) => {
    c.header('cache-control', 'private, no-store')
    const name = c.req.param('name')
    const own = isOwnPageId(name) ? name : null
    const collection = collections.get(name) ?? (own && cardCollection(own))
    if (!collection) return c.json({ error: words.unknown }, 404)
    c.set('collection', collection)
    c.set('context', await loadContext(c))
    if (own && !(await hasCardsOf(c.var.context, own))) return c.json({ error: words.unknown }, 404)
    await next()
  })

  api.get('/:name', async (c) => c.json(await c.var.collection.list(c.var.context)))

  api.get('/:name/:id', async (c) => {
    const document = await c.var.collection.read(c.var.context, c.req.param('id'))
    return document ? c.json(document) : c.json({ error: words.missing }, 404)
  })

  api.post('/:name', async (c) => {
    const given = await allowed(c, loadContext, 'add')
    if (given instanceof Response) return given
    return answer(c, await c.var.collection.add(c.var.context, given), 201)
  })

  api.patch('/:name/:id', async (c) => {
    const id = c.req.param('id')
    const given = await allowed(c, loadContext, 'change', id)
    if (given instanceof Response) return given
    const { collection, context } = c.var
    const { version, ...fields } = given
    if (!isVersion(version)) return newer(c, id, words.noVersion)
    return answer(c, await collection.change(context, { id, version }, fields), 200, id)
  })

  api.delete('/:name/:id', async (c) => {
    const id = c.req.param('id')
    const given = await allowed(c, loadContext, 'remove', id)
    if (given instanceof Response) return given
    const { collection, context } = c.var
    if (!isVersion(given.version)) return newer(c, id, words.noVersion)
    const removed = await collection.remove(context, { id, version: given.version })
    return removed.outcome === 'saved' ? c.json({ id }) : answer(c, removed, 200, id)
  })

  api.all('/:name', (c) => c.json({ error: WRONG_METHOD }, 405, { allow: 'GET, HEAD, POST' }))
  api.all('/:name/:id', (c) => c.json({ error: WRONG_METHOD }, 405, { allow: 'GET, HEAD, PATCH, DELETE' }))

  api.onError((error, c) => {
    if (error instanceof BodyRefused) return c.json({ error: error.message }, error.status)
    const { status, sentence } = failureInWords('データの保存に失敗しました。', log, error, 'collection failed')
    return c.json({ error: sentence }, status)
  })

  return api
}

// What was sent, where this visitor may send it, else the answer that refuses it; asked again when all of it is here.
async function allowed(
  c: Asked,
  loadContext: (c: Asked) => Promise<RequestContext>,
  deed: 'add' | 'change' | 'remove',
  id = '',
): Promise<Given | Response> {
  const refused = async () => {
    const { collection, context } = c.var
    const error = await collection.refusal(context, deed, id)
    return error && c.json({ error }, contextOf(context).visitor ? 403 : 401)
  }
  const before = await refused()
  if (before) return before
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) return c.json({ error: words.noJson }, 415)
  const { address } = contextOf(c.var.context).auth
  const given: unknown = await withBody(c.req.raw, { most: MOST, address }, (arrived) =>
    arrived.json().catch(() => null),
  )
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return c.json({ error: words.unreadable }, 400)
  c.set('context', await loadContext(c))
  return (await refused()) || (await refusedField(c, given as Given, id)) || (given as Given)
}

// A value that the document has already may be sent back.
async function refusedField(c: Asked, given: Given, id: string) {
  const { collection, context } = c.var
  const known = new Set([...READ_ONLY, ...collection.fields(id || String(given.id))])
  const others = Object.keys(given).filter((name) => !known.has(name))
  const document = others.length > 0 && id ? await collection.read(context, id) : null
  const field = others.find((name) => !document || !isDeepStrictEqual(given[name], document[name]))
  return field !== undefined && c.json({ error: words.unknownField(field), field }, 400)
}

async function answer(c: Asked, result: Outcome, status: 200 | 201, id = '') {
  const { collection, context } = c.var
  if (result.outcome === 'saved') return c.json(await collection.read(context, result.id), status)
  if (result.outcome === 'missing') return c.json({ error: words.missing }, 404)
  if (result.outcome === 'newer') return newer(c, id, words.newer)
  const { outcome, ...said } = result
  return c.json(said, outcome === 'taken' ? 409 : 400)
}

// With the document as it is now.
async function newer(c: Asked, id: string, error: string) {
  const document = await c.var.collection.read(c.var.context, id)
  return document ? c.json({ error, document }, 409) : c.json({ error: words.missing }, 404)
}

function isVersion(version: unknown): version is number {
  return Number.isSafeInteger(version) && (version as number) >= 0
}
