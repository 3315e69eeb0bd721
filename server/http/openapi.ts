import type { Context } from 'hono'
import { MailMessage } from '../../app/contact/message.ts'
import { topics } from '../../app/live/topics.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Collection } from './collection.ts'
import { collections } from './collections.ts'
import { cardCollection } from './collections-of-cards.ts'
import {
  bodySchema,
  boolean,
  describeCollection,
  documentSchemas,
  type JsonSchema,
  objectSchema,
  schemaOf,
  text,
} from './openapi-schemas.ts'

const errorSchema = {
  description: 'The error in Japanese. `field` is the name of the field that caused the error.',
  ...objectSchema({ error: text, field: text, message: text, success: { const: false }, url: { const: '' } }, [
    ...['field', 'message', 'success', 'url'],
  ]),
}
const imageErrorSchema = objectSchema({ message: text, error: text, success: { const: false }, url: { const: '' } }, [
  ...['error', 'url'],
])
const healthSchema = objectSchema({ status: { enum: ['ok', 'failing', 'full', 'unwritable'] }, version: text })

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: JsonSchema) => ({ 'application/json': { schema } })
const response = (description: string, schema: JsonSchema) => ({ description, content: json(schema) })
const jsonBody = (schema: JsonSchema) => ({ required: true, content: json(schema) })

const INVALID_TOKEN = { 401: 'invalid token' }
const DENIED = { 401: 'not signed in, or invalid token', 403: 'permission denied, read-only token, or foreign Origin' }
const INVALID_BODY = { 400: 'invalid body', 413: 'body too large', 415: 'body is not JSON' }
const MISSING = { 404: 'not found, or not visible' }
const IN_CONFLICT = 'conflict; `document` is the current document'

type Parts = {
  tag: string
  /** Whether guests may send the call. */
  isOpen?: boolean
  requestBody?: object
  success: object
  errors: Record<number, string>
  errorSchema?: 'Error' | 'ImageError'
}

function operation(summary: string, { tag, isOpen = false, success, errors, errorSchema = 'Error', ...body }: Parts) {
  const errorResponses = Object.entries(errors).map(([status, description]) => [
    status,
    response(description, ref(errorSchema)),
  ])
  const security = [...(isOpen ? [{}] : []), { token: [] }]
  const anyOther = response('any other error', ref('Error'))
  const responses = { ...success, ...Object.fromEntries(errorResponses), default: anyOther }
  return { summary, tags: [tag], security, ...body, responses }
}

function collectionPaths(name: string, collection: Collection) {
  const { document: documentName, isUnique } = describeCollection(name)
  const document = ref(documentName)
  const conflict = response(IN_CONFLICT, { anyOf: [objectSchema({ error: text, document }), ref('Error')] })
  const taken: Record<number, string> = isUnique ? { 409: 'exists already' } : {}
  const isOwnPage = name === 'p-{name}'
  const missingPage = isOwnPage ? MISSING : {}
  const parameters = isOwnPage ? [pathParameter('name')] : []
  return {
    [`/api/collections/${name}`]: {
      parameters,
      get: operation(`Lists the visible documents of ${name}`, {
        tag: name,
        isOpen: true,
        success: { 200: response('all visible documents', { type: 'array', items: document }) },
        errors: { ...INVALID_TOKEN, ...missingPage },
      }),
      post: operation(`Adds a document to ${name}`, {
        tag: name,
        requestBody: jsonBody(bodySchema(name, collection, false)),
        success: { 201: response('the new document', document) },
        errors: { ...INVALID_BODY, ...DENIED, ...missingPage, ...taken },
      }),
    },
    [`/api/collections/${name}/{id}`]: {
      parameters: [...parameters, pathParameter('id')],
      get: operation(`Reads a document of ${name}`, {
        tag: name,
        isOpen: true,
        success: { 200: response('the document', document) },
        errors: { ...INVALID_TOKEN, ...MISSING },
      }),
      patch: operation(`Changes a document of ${name}`, {
        tag: name,
        requestBody: jsonBody(bodySchema(name, collection, true)),
        success: { 200: response('the changed document', document), 409: conflict },
        errors: { ...INVALID_BODY, ...DENIED, ...MISSING },
      }),
      delete: operation(`Removes a document of ${name}`, {
        tag: name,
        requestBody: jsonBody(objectSchema({ version: { type: 'integer' } })),
        success: { 200: response('removed', objectSchema({ id: text })), 409: conflict },
        errors: { ...INVALID_BODY, ...DENIED, ...MISSING },
      }),
    },
  }
}

function pathParameter(name: string) {
  return { name, in: 'path', required: true, schema: text }
}

const imageForm = objectSchema({ image: { contentMediaType: 'application/octet-stream' }, large: text }, ['large'])
const imageStored = objectSchema({ success: { const: true }, url: text, message: text })
const imageRemoved = objectSchema({ success: { const: true }, message: text })
const UPLOAD_ERRORS = { 400: 'no image, or broken image', 413: 'image too large', 415: 'no form, or no image format' }

const otherPaths = {
  '/api/upload': {
    post: operation('Stores an image in all its sizes', {
      ...{ tag: 'images', errorSchema: 'ImageError', errors: { ...DENIED, ...UPLOAD_ERRORS, 429: 'rate limit' } },
      requestBody: { required: true, content: { 'multipart/form-data': { schema: imageForm } } },
      success: { 200: response('the URL of the image', imageStored) },
    }),
  },
  '/api/delete': {
    post: operation('Removes an image in all its sizes', {
      ...{ tag: 'images', errorSchema: 'ImageError' },
      requestBody: jsonBody(objectSchema({ filename: text })),
      success: { 200: response('removed', imageRemoved) },
      errors: { ...DENIED, ...INVALID_BODY, ...MISSING, 409: 'a record or its history needs the image' },
    }),
  },
  '/api/mail': {
    post: operation('Sends a message to the shop', {
      ...{ tag: 'mail', isOpen: true, requestBody: jsonBody(schemaOf(MailMessage)) },
      success: { 200: response('stored', objectSchema({ message: text })) },
      errors: {
        ...{ ...INVALID_BODY, ...INVALID_TOKEN, 403: 'read-only token, or foreign Origin' },
        ...{ 404: 'the contact page is hidden', 429: 'rate limit' },
      },
    }),
  },
  '/api/live': {
    get: {
      ...{ summary: 'Streams the topics of changes', tags: ['live'], security: [{}, { token: [] }] },
      parameters: [
        { name: 'topics', in: 'query', description: `List of ${topics.join(', ')}`, schema: text },
        { name: 'since', in: 'query', description: 'ID of the last received event', schema: text },
      ],
      responses: {
        200: {
          description: 'a stream, or the missed topics with `Accept: application/json`',
          content: {
            'text/event-stream': { schema: text },
            ...json(objectSchema({ id: text, topics: { type: 'array', items: { enum: [...topics] } }, room: boolean })),
          },
        },
        ...{ 400: plain('unknown topic'), 403: plain('no visible topic') },
        401: response('invalid token', ref('Error')),
        default: { description: 'any other error', content: { ...plain('').content, ...json(ref('Error')) } },
      },
    },
  },
  '/livez': health('Returns whether the process responds', objectSchema({ status: { const: 'ok' } })),
  '/readyz': health('Returns whether the site can read and store', ref('Health')),
  '/api/health': health('Returns the same as /readyz', ref('Health')),
  '/api/openapi.json': health('Returns this document', { type: 'object' }),
}

function plain(description: string) {
  return { description, content: { 'text/plain': { schema: text } } }
}

function health(summary: string, schema: JsonSchema) {
  return {
    get: {
      security: [],
      tags: ['site'],
      summary,
      responses: { 200: response('ok', schema), default: response('an error', { anyOf: [schema, ref('Error')] }) },
    },
  }
}

/** Returns the OpenAPI document of all JSON calls. */
export function createOpenApi() {
  const paths: Record<string, object> = {
    ...Object.assign({}, ...[...collections].map(([name, collection]) => collectionPaths(name, collection))),
    ...collectionPaths('p-{name}', cardCollection('p-name')),
    ...otherPaths,
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Noren',
      version: packageJson.version,
      summary: 'The JSON calls of a Noren site',
      description: 'docs/api.md describes the calls, their limits and the maximum lengths of texts.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    paths,
    components: {
      schemas: { ...documentSchemas, Error: errorSchema, ImageError: imageErrorSchema, Health: healthSchema },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'API token of an administrator' } },
    },
  }
}

/** Returns the handler of the OpenAPI document. The first request creates the document, because this takes 50 ms. */
export function handleOpenApi() {
  let document: ReturnType<typeof createOpenApi> | undefined
  return (c: Context) => {
    document ??= createOpenApi()
    return c.json(document, 200, { 'cache-control': 'public, max-age=3600' })
  }
}
