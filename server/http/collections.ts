import { isDeepStrictEqual } from 'node:util'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { collectionNames } from '../../app/cards/card.ts'
import { reportFailure } from '../../app/forms/report-failure.server.ts'
import { isOwnPageId } from '../../app/pages/own-page.ts'
import { isOpen, readPages } from '../../app/pages/pages.server.ts'
import { BodyRefused, withBody } from '../../app/platform/body.server.ts'
import { contextOf, type RequestContext } from '../../app/request.ts'
import {
  type Collection,
  type Deed,
  type Given,
  type Outcome,
  readDocuments,
  refusalOf,
  removeDocument,
  writeDocument,
} from './collection.ts'
import { businessDays, events, specialDays } from './collections-of-calendar.ts'
import { cardCollection } from './collections-of-cards.ts'
import { members } from './collections-of-members.ts'
import { pages } from './collections-of-pages.ts'

const collections = new Map<string, Collection>([
  ...collectionNames.map((name) => [name, cardCollection(name)] as const),
  ['pages', pages],
  ['members', members],
  ['events', events],
  ['bussinessDays', businessDays],
  ['bussinessDaysSpecial', specialDays],
])

const MOST = 256 * 1024
// Not writable, but accepted: a client may send a whole document back.
const READ_ONLY = ['id', 'version', 'created_at', 'updated_at', 'createdAt', 'updatedAt', 'eventdatestring']

const words = {
  unknown: 'この名前の一覧はありません。',
  missing: '見つかりませんでした。',
  newer: 'ほかの方が先に変更しました。現在の内容をご確認ください。',
  noVersion: '現在の内容の version をお送りください。',
  noJson: 'JSON（application/json）でお送りください。',
  unreadable: '送信された内容を読めませんでした。',
  unknownField: (name: string) => `「${name.slice(0, 40)}」という項目はありません。`,
}

type Env = { Variables: { context: RequestContext; collection: Collection } }
type Asked = Context<Env>

export const WRONG_METHOD = 'このメソッドは使えません。'

export function collectionsApi(log: Logger, loadContext: (c: Context) => Promise<RequestContext>) {
  const api = new Hono<Env>()

  api.use('/:name/*', async (c, next) => {
    c.header('cache-control', 'private, no-store')
    const name = c.req.param('name')
    // The cards of an own page are a collection for those who may open the page.
    const own = isOwnPageId(name) ? name : null
    const collection = collections.get(name) ?? (own && cardCollection(own))
    if (!collection) return c.json({ error: words.unknown }, 404)
    c.set('collection', collection)
    c.set('context', await loadContext(c))
    const { visitor } = contextOf(c.var.context)
    if (own && !isOpen(await readPages(c.var.context), own, visitor)) return c.json({ error: words.unknown }, 404)
    await next()
  })

  api.get('/:name', async (c) => c.json(await readDocuments(c.var.collection, c.var.context)))

  api.get('/:name/:id', async (c) => {
    const document = await documentOf(c, c.req.param('id'))
    return document ? c.json(document) : c.json({ error: words.missing }, 404)
  })

  api.post('/:name', async (c) => {
    const given = await allowed(c, loadContext, 'add')
    if (given instanceof Response) return given
    return answer(c, await writeDocument(c.var.collection, c.var.context, null, given), 201)
  })

  api.on(['PATCH', 'DELETE'], '/:name/:id', async (c) => {
    const id = c.req.param('id')
    const removes = c.req.method === 'DELETE'
    const given = await allowed(c, loadContext, removes ? 'remove' : 'change', id)
    if (given instanceof Response) return given
    const { collection, context } = c.var
    const { version, ...fields } = given
    if (!isVersion(version)) return newer(c, id, words.noVersion)
    const seen = { id, version }
    const result = await (removes
      ? removeDocument(collection, context, seen)
      : writeDocument(collection, context, seen, fields))
    return removes && result.outcome === 'saved' ? c.json({ id }) : answer(c, result, 200, id)
  })

  api.all('/:name', (c) => c.json({ error: WRONG_METHOD }, 405, { allow: 'GET, HEAD, POST' }))
  api.all('/:name/:id', (c) => c.json({ error: WRONG_METHOD }, 405, { allow: 'GET, HEAD, PATCH, DELETE' }))

  api.onError((error, c) => {
    if (error instanceof BodyRefused) return c.json({ error: error.message }, error.status)
    const { status, sentence } = reportFailure('データの保存に失敗しました。', log, error, 'collection failed')
    return c.json({ error: sentence }, status)
  })

  return api
}

// Returns the body, or the error response. The right is checked again after the body has arrived.
async function allowed(
  c: Asked,
  loadContext: (c: Asked) => Promise<RequestContext>,
  deed: Deed,
  id = '',
): Promise<Given | Response> {
  const refused = async () => {
    const { collection, context } = c.var
    const error = await refusalOf(collection, context, deed, id)
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

// An unknown field is accepted if its value is the stored one.
async function refusedField(c: Asked, given: Given, id: string) {
  const known = new Set([...READ_ONLY, ...c.var.collection.fields(id || String(given.id))])
  const others = Object.keys(given).filter((name) => !known.has(name))
  const document = others.length > 0 && id ? await documentOf(c, id) : null
  const field = others.find((name) => !document || !isDeepStrictEqual(given[name], document[name]))
  return field !== undefined && c.json({ error: words.unknownField(field), field }, 400)
}

async function answer(c: Asked, result: Outcome, status: 200 | 201, id = '') {
  if (result.outcome === 'saved') return c.json(await documentOf(c, result.id), status)
  if (result.outcome === 'missing') return c.json({ error: words.missing }, 404)
  if (result.outcome === 'newer') return newer(c, id, words.newer)
  const { outcome, ...said } = result
  return c.json(said, outcome === 'taken' ? 409 : 400)
}

async function newer(c: Asked, id: string, error: string) {
  const document = await documentOf(c, id)
  return document ? c.json({ error, document }, 409) : c.json({ error: words.missing }, 404)
}

async function documentOf({ var: { collection, context } }: Asked, id: string) {
  return (await readDocuments(collection, context, id))[0] ?? null
}

function isVersion(version: unknown): version is number {
  return Number.isSafeInteger(version) && (version as number) >= 0
}
