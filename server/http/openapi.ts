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

// Returns the responses of a call with the statuses of these errors.
function responses(success: object, errors: Record<number, string>, error = 'Error') {
  const entries = Object.entries(errors).map(([status, description]) => [status, response(description, ref(error))])
  return { ...success, ...Object.fromEntries(entries), default: response('any other error', ref('Error')) }
}

const INVALID_TOKEN = { 401: 'invalid token' }
const DENIED = { 401: 'not signed in, or invalid token', 403: 'permission denied, read-only token, or foreign Origin' }
const INVALID_BODY = { 400: 'invalid body', 413: 'body too large', 415: 'body is not JSON' }
const MISSING = { 404: 'not found, or not visible' }

const anyone = { security: [{}, { token: [] }] }
const signedIn = { security: [{ token: [] }] }

function collectionPaths(name: string, collection: Collection) {
  const { document: documentName, isUnique } = describeCollection(name)
  const document = ref(documentName)
  const isOwnPage = name === 'p-{name}'
  const mayBeMissing = isOwnPage ? MISSING : {}
  const taken: Record<number, string> = isUnique ? { 409: 'exists already' } : {}
  const parameters = isOwnPage ? [pathParameter('name')] : []
  const tags = [name]
  const conflict = response('conflict; `document` is the current document', {
    anyOf: [objectSchema({ error: text, document }), ref('Error')],
  })
  return {
    [`/api/collections/${name}`]: {
      parameters,
      get: {
        ...{ ...anyone, tags, summary: `Lists the visible documents of ${name}` },
        responses: responses(
          { 200: response('all visible documents', { type: 'array', items: document }) },
          {
            ...INVALID_TOKEN,
            ...mayBeMissing,
          },
        ),
      },
      post: {
        ...{ ...signedIn, tags, summary: `Adds a document to ${name}` },
        requestBody: jsonBody(bodySchema(name, collection, false)),
        responses: responses(
          { 201: response('the new document', document) },
          {
            ...INVALID_BODY,
            ...DENIED,
            ...mayBeMissing,
            ...taken,
          },
        ),
      },
    },
    [`/api/collections/${name}/{id}`]: {
      parameters: [...parameters, pathParameter('id')],
      get: {
        ...{ ...anyone, tags, summary: `Reads a document of ${name}` },
        responses: responses({ 200: response('the document', document) }, { ...INVALID_TOKEN, ...MISSING }),
      },
      patch: {
        ...{ ...signedIn, tags, summary: `Changes a document of ${name}` },
        requestBody: jsonBody(bodySchema(name, collection, true)),
        responses: responses(
          { 200: response('the changed document', document), 409: conflict },
          {
            ...INVALID_BODY,
            ...DENIED,
            ...MISSING,
          },
        ),
      },
      delete: {
        ...{ ...signedIn, tags, summary: `Removes a document of ${name}` },
        requestBody: jsonBody(objectSchema({ version: { type: 'integer' } })),
        responses: responses(
          { 200: response('removed', objectSchema({ id: text })), 409: conflict },
          {
            ...INVALID_BODY,
            ...DENIED,
            ...MISSING,
          },
        ),
      },
    },
  }
}

function pathParameter(name: string) {
  return { name, in: 'path', required: true, schema: text }
}

const imagePaths = {
  '/api/upload': {
    post: {
      ...{ ...signedIn, tags: ['images'], summary: 'Stores an image in all its sizes' },
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: objectSchema({ image: { contentMediaType: 'application/octet-stream' }, large: text }, ['large']),
          },
        },
      },
      responses: responses(
        { 200: response('the URL of the image', objectSchema({ success: { const: true }, url: text, message: text })) },
        {
          ...DENIED,
          400: 'no image, or broken image',
          413: 'image too large',
          415: 'no form, or no image format',
          429: 'rate limit',
        },
        'ImageError',
      ),
    },
  },
  '/api/delete': {
    post: {
      ...{ ...signedIn, tags: ['images'], summary: 'Removes an image in all its sizes' },
      requestBody: jsonBody(objectSchema({ filename: text })),
      responses: responses(
        { 200: response('removed', objectSchema({ success: { const: true }, message: text })) },
        { ...DENIED, ...INVALID_BODY, ...MISSING, 409: 'a record or its history needs the image' },
        'ImageError',
      ),
    },
  },
}

const otherPaths = {
  '/api/mail': {
    post: {
      ...{ ...anyone, tags: ['mail'], summary: 'Sends a message to the shop' },
      requestBody: jsonBody(schemaOf(MailMessage)),
      responses: responses(
        { 200: response('stored', objectSchema({ message: text })) },
        {
          ...{ ...INVALID_BODY, ...INVALID_TOKEN, 403: 'read-only token, or foreign Origin' },
          ...{ 404: 'the contact page is hidden', 429: 'rate limit' },
        },
      ),
    },
  },
  '/api/live': {
    get: {
      ...{ ...anyone, tags: ['live'], summary: 'Streams the topics of changes' },
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
        ...{ 401: response('invalid token', ref('Error')), default: plain('no stream available') },
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
      responses: { 200: response('ok', schema), default: response('an error', schema) },
    },
  }
}

/** Returns the OpenAPI document of all JSON calls. */
export function createOpenApi() {
  const paths: Record<string, object> = {
    ...Object.assign({}, ...[...collections].map(([name, collection]) => collectionPaths(name, collection))),
    ...collectionPaths('p-{name}', cardCollection('p-name')),
    ...imagePaths,
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
