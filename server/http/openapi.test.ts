import { isDeepStrictEqual } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addApiToken } from '../../app/accounts/testing-api-tokens.ts'
import { readPageToEdit, savePage } from '../../app/pages/pages.server.ts'
import { copySqlite } from '../../db/testing.ts'
import { noon, sampleSite } from '../testing.ts'
import { demoAccounts, openAccounts, type Person } from '../tools/demo.ts'
import { collections } from './collections.ts'
import { createOpenApi } from './openapi.ts'
import type { JsonSchema } from './openapi-schemas.ts'

type Operation = {
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content: Record<string, { schema: JsonSchema }> }>
}
type Caller = Person | { token: string }

const openApi = JSON.parse(JSON.stringify(createOpenApi())) as ReturnType<typeof createOpenApi>
const validator = new Validator()
const validity = await validator.validate(structuredClone(openApi))
const paths = validator.resolveRefs().paths as unknown as Record<string, Record<string, Operation>>
const operationNames = Object.entries(openApi.paths).flatMap(([path, operations]) =>
  Object.keys(operations)
    .filter((method) => method !== 'parameters')
    .map((method) => `${method.toUpperCase()} ${path}`),
)

function operationOf(name: string) {
  const [method = '', path = ''] = name.split(' ')
  const operation = paths[path]?.[method.toLowerCase()]
  if (!operation) throw new Error(`Operation missing in the OpenAPI document; expected ${name}`)
  return operation
}

/** Returns the schema without additional properties, so that an undocumented field of a response is found. */
function strictly(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, oneOf } = schema
  const each = (all: readonly unknown[]) => all.map((part) => strictly(part as JsonSchema))
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, strictly(property as JsonSchema)]),
      ),
      additionalProperties: false,
    }),
    ...(items && { items: strictly(items as JsonSchema) }),
    ...(anyOf && { anyOf: each(anyOf) }),
    ...(oneOf && { oneOf: each(oneOf) }),
  } as JsonSchema
}

const parsers = new Map<JsonSchema, z.ZodType>()

function errorsOf(schema: JsonSchema, value: unknown) {
  const parser = parsers.get(schema) ?? z.fromJSONSchema(strictly(schema) as z.core.JSONSchema.JSONSchema)
  parsers.set(schema, parser)
  return parser.safeParse(value).error?.issues ?? []
}

const bodySchemaOf = (name: string) => operationOf(name).requestBody?.content['application/json']?.schema ?? {}

let filledSite: ReturnType<typeof fillSite> | undefined

async function fillSite() {
  const { db, people, staff } = await sampleSite()
  await people()
  await staff()
  await openAccounts(db, 'miso-soup-12', noon)
  const { accountId } = demoAccounts.administrator
  const [readToken, writeToken] = [await addApiToken(db, accountId, 'read'), await addApiToken(db, accountId, 'write')]
  return { open: await copySqlite(db), readToken: { token: readToken }, writeToken: { token: writeToken } }
}

async function siteWithCallers() {
  filledSite ??= fillSite()
  const { open, ...tokens } = await filledSite
  const site = await sampleSite(await open())
  const seen = new Set<string>()

  /** Sends a call and compares its response with the OpenAPI document. */
  const call = async (caller: Caller, name: string, path: string, body?: unknown, init: RequestInit = {}) => {
    const [method = ''] = name.split(' ')
    const isRaw = body === undefined || typeof body === 'string' || body instanceof FormData
    const headers = new Headers(init.headers)
    if (!isRaw) headers.set('content-type', 'application/json')
    if (typeof caller === 'object') headers.set('authorization', `Bearer ${caller.token}`)
    const request = {
      ...init,
      method,
      headers,
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    }
    const response = await (typeof caller === 'object' ? site.get(path, request) : site.as(caller, path, request))
    const label = `${JSON.stringify(caller)} ${method} ${path} ${response.status}`
    seen.add(`${name} ${response.status}`)
    const { content } = operationOf(name).responses[response.status] ?? {}
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    expect(Object.keys(content ?? {}), label).toContain(type)
    if (type !== 'application/json') {
      await response.body?.cancel()
      return { status: response.status, body: null }
    }
    const result = await response.json()
    expect(errorsOf(content?.[type]?.schema ?? {}, result), label).toEqual([])
    return { status: response.status, body: result }
  }
  return { ...site, ...tokens, call, seen }
}

const INVALID = { token: 'noren_none' }
const visitors = ['guest', 'signedIn', 'applicant', 'approved', 'editor', 'manager', 'administrator'] as const

/** Returns the errors of a call that depend neither on its path nor on its body. */
const general = /^(?:408|429|500|503|507|default)$/

function expectAllSeen(seen: Set<string>, isCovered: (name: string) => boolean, exceptions: string[] = []) {
  const documented = operationNames
    .filter(isCovered)
    .flatMap((name) => Object.keys(operationOf(name).responses).map((status) => `${name} ${status}`))
    .filter((each) => !general.test(each.split(' ').at(-1) ?? ''))
  expect([...seen, ...exceptions].filter((each) => !general.test(each.split(' ').at(-1) ?? '')).sort()).toEqual(
    documented.sort(),
  )
}

test('the OpenAPI document is valid, public and cacheable', async () => {
  expect(validity).toEqual({ valid: true })
  const { get } = await sampleSite()
  const response = await get('/api/openapi.json')
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=3600'])
  expect(await response.json()).toEqual(openApi)
})

test('the OpenAPI document contains every JSON call and no others', async () => {
  const { app } = await sampleSite()
  const routes = app.routes
    .filter(({ method, path }) => method !== 'ALL' && /^\/(?:api\/(?!auth\/)|livez|readyz)/.test(path))
    .map(({ method, path }) => `${method} ${path}`)
  const documented = operationNames.map((name) =>
    name
      .replace(/collections\/[^/]+$/, 'collections/:name')
      .replace(/collections\/[^/]+\/\{id\}$/, 'collections/:name/:id'),
  )
  expect([...new Set(documented)].sort()).toEqual([...new Set(routes)].sort())
  const names = operationNames.flatMap((name) => /^GET \/api\/collections\/([^/]+)$/.exec(name)?.[1] ?? [])
  expect(names.sort()).toEqual([...collections.keys(), 'p-{name}'].sort())
})

const named = [...collections.keys(), 'p-{name}']

test.each(named)('the collection %s responds as documented to every visitor and token', async (template) => {
  const { call, seen, readToken, writeToken } = await siteWithCallers()
  const path = template === 'p-{name}' ? 'p-parties' : template
  const list = `/api/collections/${path}`
  const [get, post] = ['GET', 'POST'].map((method) => `${method} /api/collections/${template}`) as [string, string]
  const [getOne, patch, remove] = ['GET', 'PATCH', 'DELETE'].map(
    (method) => `${method} /api/collections/${template}/{id}`,
  ) as [string, string, string]
  const [example] = bodySchemaOf(post).examples as [Record<string, unknown>]
  if (template === 'p-{name}') {
    await call(writeToken, 'POST /api/collections/pages', '/api/collections/pages', { id: path, title: '貸切' })
    for (const [name, target] of [
      [get, '/api/collections/p-none'],
      [post, '/api/collections/p-none'],
    ] as const)
      await call(writeToken, name, target, name === post ? {} : undefined)
    seen.delete('POST /api/collections/pages 201')
  }
  if (template === 'bussinessDays') await call(writeToken, remove, `${list}/week`, { version: 1 })

  const created = await call(writeToken, post, list, example)
  expect(created.status).toBe(201)
  expect(errorsOf(bodySchemaOf(post), example)).toEqual([])
  const { id } = created.body
  await call(writeToken, post, list, example)
  for (const caller of [...visitors, readToken, writeToken, INVALID]) {
    await call(caller, get, list)
    await call(caller, getOne, `${list}/${id}`)
    await call(caller, getOne, `${list}/none`)
    await call(caller, post, list, {})
    await call(caller, patch, `${list}/${id}`, {})
    await call(caller, remove, `${list}/${id}`, {})
  }
  for (const [name, target] of [
    [post, list],
    [patch, `${list}/${id}`],
    [remove, `${list}/${id}`],
  ] as const) {
    await call(writeToken, name, target, '{')
    await call(writeToken, name, target, [])
    await call(writeToken, name, target, { a: 'x'.repeat(300_000) })
    await call('administrator', name, target, {}, { headers: { origin: 'https://elsewhere.example' } })
  }
  for (const name of [patch, remove]) await call(writeToken, name, `${list}/none`, { version: 1 })
  const version = (await call(writeToken, getOne, `${list}/${id}`)).body.version
  const changed = await call(writeToken, patch, `${list}/${id}`, { version, ...example })
  expect([changed.status, changed.body.version >= version]).toEqual([200, true])
  expect((await call(writeToken, remove, `${list}/${id}`, { version: changed.body.version })).status).toBe(200)
  expectAllSeen(seen, (name) => `${name}/`.includes(`/collections/${template}/`))
})

test.each(named)(
  'the collection %s rejects each field that the document forbids, and requires the required ones',
  async (template) => {
    const { call, writeToken, db } = await siteWithCallers()
    const pages = '/api/collections/pages'
    if (template === 'p-{name}') await call(writeToken, `POST ${pages}`, pages, { id: 'p-parties', title: '貸切' })
    const post = `POST /api/collections/${template}`
    const list = `/api/collections/${template.replace('{name}', 'parties')}`
    const schema = bodySchemaOf(post)
    const [example] = schema.examples as [Record<string, unknown>]
    // The server ignores an invalid ID of an event, reads other values of a boolean as false, and any text as plain text.
    const isLenient = (field: string) =>
      ['id', 'text'].includes(field) || isDeepStrictEqual(schema.properties?.[field], { type: 'boolean' })
    for (const field of [...Object.keys(schema.properties ?? {}), 'unknown']) {
      if (isLenient(field)) continue
      // The server reads the day of a card from these fields only if all three are present.
      const day = field.startsWith('selected') && { selectedYear: 2026, selectedMonth: 12, selectedDay: 9 }
      const body = { ...example, ...day, [field]: { wrong: true } }
      expect([field, (await call(writeToken, post, list, body)).status]).toEqual([field, 400])
      expect(errorsOf(schema, body), field).not.toEqual([])
    }
    for (const field of Object.keys(example)) {
      const { [field]: _, ...body } = example
      const isRequired = schema.required?.includes(field)
      await db.deleteFrom('businessWeek').execute()
      expect([field, (await call(writeToken, post, list, body)).status]).toEqual([field, isRequired ? 400 : 201])
    }
  },
)

test('the image calls respond as documented', async () => {
  const { call, seen, readToken, writeToken, db } = await siteWithCallers()
  const [upload, remove] = ['POST /api/upload', 'POST /api/delete']
  const formWith = (image: BlobPart) => {
    const form = new FormData()
    form.append('image', new File([image], 'photo.png'))
    return form
  }
  const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: '#c33' } })
    .png()
    .toBuffer()
  const send = (caller: Caller, form: FormData | string, init?: RequestInit) =>
    call(caller, upload as string, '/api/upload', form, init)
  const { body } = await send(writeToken, formWith(Uint8Array.from(png)))
  await send(writeToken, formWith('GIF89a'))
  await send(writeToken, formWith('%PDF-1.7 this is no image'))
  await send(writeToken, formWith(new Uint8Array(25 * 1024 * 1024 + 1)))
  await send(writeToken, 'x')
  const filename = body.url.split('/').at(-1)
  const del = (caller: Caller, sent: unknown) => call(caller, remove as string, '/api/delete', sent)
  for (const caller of ['guest', 'signedIn', 'editor', readToken, INVALID] as const) {
    await send(caller, formWith(Uint8Array.from(png)))
    await del(caller, { filename: 'none-800.jpg' })
  }
  for (const sent of ['{', {}, { filename, all: true }, { filename: 'x'.repeat(5000) }]) await del(writeToken, sent)
  await call(writeToken, 'POST /api/collections/dining', '/api/collections/dining', { title: '絵', image: body.url })
  await del(writeToken, { filename })
  seen.delete('POST /api/collections/dining 201')
  await db.deleteFrom('cards').where('title', '=', '絵').execute()
  await db.deleteFrom('revisions').execute()
  expect((await del(writeToken, { filename })).status).toBe(200)
  expectAllSeen(seen, (name) => name === upload || name === remove)
})

test('the other calls respond as documented', async () => {
  const { call, seen, readToken, writeToken, db } = await siteWithCallers()
  const mail = (caller: Caller, body: unknown, init?: RequestInit) =>
    call(caller, 'POST /api/mail', '/api/mail', body, init)
  const message = { to: 'shop', subject: '予約', text: '四人です。', from: 'guest@example.jp' }
  expect(errorsOf(bodySchemaOf('POST /api/mail'), message)).toEqual([])
  for (const caller of ['guest', 'editor', writeToken] as const) expect((await mail(caller, message)).status).toBe(200)
  for (const caller of [readToken, INVALID]) await mail(caller, message)
  for (const body of ['{', { ...message, text: 'x'.repeat(600_000) }, {}]) await mail('guest', body)
  for (let sent = 0; sent < 3; sent += 1) await mail('guest', message)
  const page = await readPageToEdit(db, 'mail')
  const author = { accountId: null, at: new Date(noon).toISOString() }
  await savePage(db, 'mail', { version: page?.version ?? 0, facts: { shown: false } }, author)
  await mail('guest', message)

  const live = (caller: Caller, query: string, accept: string) =>
    call(caller, 'GET /api/live', `/api/live${query}`, undefined, { headers: { accept } })
  for (const caller of ['guest', 'approved', readToken, writeToken, INVALID] as const)
    for (const accept of ['application/json', 'text/event-stream']) await live(caller, '', accept)
  await live('guest', '?topics=none', 'application/json')
  await live('guest', '?topics=messages', 'application/json')
  for (const path of ['/livez', '/readyz', '/api/health', '/api/openapi.json'])
    for (const caller of ['guest', writeToken, INVALID] as const) await call(caller, `GET ${path}`, path)
  expectAllSeen(seen, (name) => !/collections|upload|delete/.test(name))
})
