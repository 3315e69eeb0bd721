import { isDeepStrictEqual } from 'node:util'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { collectionNames } from '../../app/cards/card.ts'
import { reportFailure } from '../../app/forms/report-failure.server.ts'
import { isOwnPageId } from '../../app/pages/own-page.ts'
import { isPageVisible, readPages } from '../../app/pages/pages.server.ts'
import { BodyRejected, readJson } from '../../app/platform/body.server.ts'
import { contextOf, type RequestContext } from '../../app/request.ts'
import {
  type Collection,
  type JsonBody,
  readDocuments,
  refusalOf,
  removeDocument,
  type WriteAction,
  type WriteResult,
  writeDocument,
} from './collection.ts'
import { businessDays, events, specialDays } from './collections-of-calendar.ts'
import { cardCollection } from './collections-of-cards.ts'
import { members } from './collections-of-members.ts'
import { pages } from './collections-of-pages.ts'
import { sections } from './collections-of-sections.ts'

export const collections: ReadonlyMap<string, Collection> = new Map<string, Collection>([
  ...collectionNames.map((name) => [name, cardCollection(name)] as const),
  ['sections', sections],
  ['pages', pages],
  ['members', members],
  ['events', events],
  ['bussinessDays', businessDays],
  ['bussinessDaysSpecial', specialDays],
])

const MAX_BODY_BYTES = 256 * 1024
// Fields that are accepted but never stored, because a client may send back a whole document.
const READ_ONLY = ['id', 'version', 'created_at', 'updated_at', 'createdAt', 'updatedAt', 'eventdatestring']

const sentences = {
  unknown: 'この名前の一覧はありません。',
  missing: '見つかりませんでした。',
  conflict: 'ほかの方が先に変更しました。現在の内容をご確認ください。',
  noVersion: '現在の内容の version をお送りください。',
  noJson: 'JSON（application/json）でお送りください。',
  unreadable: '送信された内容を読めませんでした。',
  unknownField: (name: string) => `「${name.slice(0, 40)}」という項目はありません。`,
}

type Env = { Variables: { context: RequestContext; collection: Collection } }
type ApiRequest = Context<Env>

export const WRONG_METHOD = 'このメソッドは使えません。'

export function collectionsApi(log: Logger, loadContext: (c: Context) => Promise<RequestContext>) {
  const api = new Hono<Env>()

  api.use('/:name/*', async (c, next) => {
    c.header('cache-control', 'private, no-store')
    const name = c.req.param('name')
    // The cards of a page that the owner has added are a collection for visitors who may open the page.
    const ownPageId = isOwnPageId(name) ? name : null
    const collection = collections.get(name) ?? (ownPageId && cardCollection(ownPageId))
    if (!collection) return c.json({ error: sentences.unknown }, 404)
    c.set('collection', collection)
    c.set('context', await loadContext(c))
    const { visitor } = contextOf(c.var.context)
    if (ownPageId && !isPageVisible(await readPages(c.var.context), ownPageId, visitor))
      return c.json({ error: sentences.unknown }, 404)
    await next()
  })

  api.get('/:name', async (c) => c.json(await readDocuments(c.var.collection, c.var.context)))

  api.get('/:name/:id', async (c) => {
    const document = await documentOf(c, c.req.param('id'))
    return document ? c.json(document) : c.json({ error: sentences.missing }, 404)
  })

  api.post('/:name', async (c) => {
    const body = await readPermittedBody(c, loadContext, 'add')
    if (body instanceof Response) return body
    return respond(c, await writeDocument(c.var.collection, c.var.context, null, body), 201)
  })

  api.on(['PATCH', 'DELETE'], '/:name/:id', async (c) => {
    const id = c.req.param('id')
    const isRemoval = c.req.method === 'DELETE'
    const body = await readPermittedBody(c, loadContext, isRemoval ? 'remove' : 'change', id)
    if (body instanceof Response) return body
    const { collection, context } = c.var
    const { version, ...fields } = body
    if (!isVersion(version)) return respondWithConflict(c, id, sentences.noVersion)
    const ref = { id, version }
    const result = await (isRemoval
      ? removeDocument(collection, context, ref)
      : writeDocument(collection, context, ref, fields))
    return isRemoval && result.outcome === 'saved' ? c.json({ id }) : respond(c, result, 200, id)
  })

  api.all('/:name', (c) => c.json({ error: WRONG_METHOD }, 405, { allow: 'GET, HEAD, POST' }))
  api.all('/:name/:id', (c) => c.json({ error: WRONG_METHOD }, 405, { allow: 'GET, HEAD, PATCH, DELETE' }))

  api.onError((error, c) => {
    if (error instanceof BodyRejected) return c.json({ error: error.message }, error.status)
    const { status, sentence } = reportFailure('データの保存に失敗しました。', log, error, 'collection request failed')
    return c.json({ error: sentence }, status)
  })

  return api
}

// Checks the permission again after the body has arrived.
async function readPermittedBody(
  c: ApiRequest,
  loadContext: (c: ApiRequest) => Promise<RequestContext>,
  action: WriteAction,
  id = '',
): Promise<JsonBody | Response> {
  const checkPermission = async () => {
    const { collection, context } = c.var
    const error = await refusalOf(collection, context, action, id)
    return error && c.json({ error }, contextOf(context).visitor ? 403 : 401)
  }
  const before = await checkPermission()
  if (before) return before
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) return c.json({ error: sentences.noJson }, 415)
  const { address } = contextOf(c.var.context).auth
  const body = await readJson(c.req.raw, { most: MAX_BODY_BYTES, address })
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return c.json({ error: sentences.unreadable }, 400)
  c.set('context', await loadContext(c))
  return (await checkPermission()) || (await rejectUnknownField(c, body as JsonBody, id)) || (body as JsonBody)
}

// An unknown field is accepted if its value equals the stored value.
async function rejectUnknownField(c: ApiRequest, body: JsonBody, id: string) {
  const known = new Set([...READ_ONLY, ...c.var.collection.fields(id || String(body.id))])
  const unknownNames = Object.keys(body).filter((name) => !known.has(name))
  const document = unknownNames.length > 0 && id ? await documentOf(c, id) : null
  const field = unknownNames.find((name) => !document || !isDeepStrictEqual(body[name], document[name]))
  return field !== undefined && c.json({ error: sentences.unknownField(field), field }, 400)
}

async function respond(c: ApiRequest, result: WriteResult, status: 200 | 201, id = '') {
  if (result.outcome === 'saved') return c.json(await documentOf(c, result.id), status)
  if (result.outcome === 'missing') return c.json({ error: sentences.missing }, 404)
  if (result.outcome === 'newer') return respondWithConflict(c, id, sentences.conflict)
  const { outcome, ...rest } = result
  return c.json(rest, outcome === 'taken' ? 409 : 400)
}

async function respondWithConflict(c: ApiRequest, id: string, error: string) {
  const document = await documentOf(c, id)
  return document ? c.json({ error, document }, 409) : c.json({ error: sentences.missing }, 404)
}

async function documentOf({ var: { collection, context } }: ApiRequest, id: string) {
  return (await readDocuments(collection, context, id))[0] ?? null
}

function isVersion(version: unknown): version is number {
  return Number.isSafeInteger(version) && (version as number) >= 0
}
