import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { SignatureV4 } from '@smithy/signature-v4'
import type { SourceData } from '@smithy/types'
import { onTestFinished } from 'vitest'

const REGION = 'kyoto-1'
const ACCESS_KEY_ID = 'NORENKEY'
const SECRET_ACCESS_KEY = 'a secret that no log contains'
const MAX_KEYS = 3

type StoredObject = { body: Buffer; sha256: string }
type Response = { status: number; body?: string | Buffer; headers?: Record<string, string> }

const toBytes = (data: SourceData) => (data instanceof ArrayBuffer ? Buffer.from(data) : (data as string | Uint8Array))

class Sha256 {
  readonly hash: Hash | Hmac

  constructor(secret?: SourceData) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret))
  }

  update(data: SourceData) {
    this.hash.update(toBytes(data))
  }

  async digest() {
    return this.hash.digest()
  }
}

const signer = new SignatureV4({
  credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY },
  region: REGION,
  service: 's3',
  sha256: Sha256,
  uriEscapePath: false,
})

/**
 * Starts an S3 server with the bucket `copies`, which verifies the signature and the hash of each complete request. Like
 * some real servers, this server stores the part of an object that arrived before the connection was lost.
 * `setFailure` makes the server respond with an error. `cutAfter` ends all connections after a number of bytes in a
 * direction, until `mend` is called. `transferred` counts these bytes.
 */
export async function startS3() {
  const objects = new Map<string, StoredObject>()
  const requests: string[] = []
  let failure: { method?: string; status: number; code: string } | null = null
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const { body, isComplete } = await readBody(request)
    if (!isComplete) {
      const { bucket, key } = addressOf(request)
      if (request.method === 'PUT' && bucket === 'copies') objects.set(key, storedObject(request, body))
      return
    }
    const isFailing = failure && (failure.method ?? request.method) === request.method
    const result = isFailing ? failed(failure as NonNullable<typeof failure>) : await respond(request, body, objects)
    send(request, response, result)
  })
  const network = await startNetwork(await portOf(server.listen(0, '127.0.0.1')))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    network.close()
  })
  return {
    ...network,
    objects,
    requests,
    setFailure: (next: typeof failure) => {
      failure = next
    },
    variables: {
      BACKUP_S3_ENDPOINT: `http://127.0.0.1:${network.port}`,
      BACKUP_S3_BUCKET: 'copies',
      BACKUP_S3_REGION: REGION,
      BACKUP_S3_ACCESS_KEY_ID: ACCESS_KEY_ID,
      BACKUP_S3_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY,
    },
  }
}

async function readBody(request: IncomingMessage) {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
    return { body: Buffer.concat(chunks), isComplete: true }
  } catch {
    return { body: Buffer.concat(chunks), isComplete: false }
  }
}

function addressOf({ url = '', headers: { host = '' } }: IncomingMessage) {
  const { pathname, searchParams } = new URL(url, `http://${host}`)
  const [, bucket, key = ''] =
    /^\/([^/]+)\/?(.*)$/.exec(host.startsWith('copies.') ? `/copies${pathname}` : pathname) ?? []
  return { bucket, key, searchParams }
}

const storedObject = ({ headers }: IncomingMessage, body: Buffer): StoredObject => ({
  body,
  sha256: String(headers['x-amz-meta-sha256']),
})

async function respond(request: IncomingMessage, body: Buffer, objects: Map<string, StoredObject>): Promise<Response> {
  const refusal = await findRefusal(request, body)
  if (refusal) return refusal
  const { bucket, key, searchParams } = addressOf(request)
  if (bucket !== 'copies') return failed({ status: 404, code: 'NoSuchBucket' })
  if (key === '') return listObjects(objects, searchParams)
  if (request.method === 'PUT') {
    if (request.headers['content-length'] === undefined) return failed({ status: 411, code: 'MissingContentLength' })
    objects.set(key, storedObject(request, body))
    return { status: 200 }
  }
  if (request.method === 'DELETE') {
    objects.delete(key)
    return { status: 204 }
  }
  const object = objects.get(key)
  if (!object) return failed({ status: 404, code: 'NoSuchKey' })
  return { status: 200, body: object.body, headers: { 'x-amz-meta-sha256': object.sha256 } }
}

function listObjects(objects: Map<string, StoredObject>, query: URLSearchParams): Response {
  const found = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort()
  // The token contains characters that XML escapes.
  const start = Number(/^<&(\d+)>$/.exec(query.get('continuation-token') ?? '<&0>')?.[1])
  const page = found.slice(start, start + MAX_KEYS)
  const entries = page.map(
    (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.body.length}</Size></Contents>`,
  )
  const isTruncated = start + MAX_KEYS < found.length
  const token = isTruncated ? `<NextContinuationToken>&lt;&amp;${start + MAX_KEYS}&gt;</NextContinuationToken>` : ''
  return { status: 200, body: `<?xml version="1.0"?><ListBucketResult>${entries.join('')}${token}</ListBucketResult>` }
}

const failed = ({ status, code }: { status: number; code: string }): Response => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`,
})

const MAX_CLOCK_ERROR_MS = 15 * 60_000

// Signs the request again with an independent library and compares the results.
async function findRefusal({ method = '', url = '', headers }: IncomingMessage, body: Buffer) {
  const [, id, signedHeaders = ''] =
    /Credential=([^/]+)\/.*SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? []
  if (id !== ACCESS_KEY_ID) return failed({ status: 403, code: 'InvalidAccessKeyId' })
  const date = String(headers['x-amz-date']).replace(/^(.{4})(..)(.{5})(..)/, '$1-$2-$3:$4:')
  const signingDate = new Date(date)
  if (Math.abs(signingDate.getTime() - Date.now()) > MAX_CLOCK_ERROR_MS)
    return failed({ status: 403, code: 'RequestTimeTooSkewed' })
  const { pathname, searchParams, hostname } = new URL(url, `http://${headers.host}`)
  const signed = await signer.sign(
    {
      ...{ method, protocol: 'http:', hostname, path: pathname, query: Object.fromEntries(searchParams) },
      headers: Object.fromEntries(signedHeaders.split(';').map((name) => [name, String(headers[name])])),
    },
    { signingDate },
  )
  if (signed.headers.authorization !== headers.authorization)
    return failed({ status: 403, code: 'SignatureDoesNotMatch' })
  const hash = headers['x-amz-content-sha256']
  if (method === 'PUT' && hash !== createHash('sha256').update(body).digest('hex'))
    return failed({ status: 400, code: 'XAmzContentSHA256Mismatch' })
  return null
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, body = '', headers }: Response) {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(method === 'HEAD' ? '' : body)
}

type Direction = 'up' | 'down'

/** Forwards connections to a port. */
async function startNetwork(port: number) {
  const transferred = { up: 0, down: 0 }
  let cut: { direction: Direction; remaining: number } | null = null
  const sockets = new Set<Socket>()
  const endAll = () => sockets.forEach((socket) => void socket.destroy())
  const forward = (from: Socket, to: Socket, direction: Direction) => {
    from.on('data', (chunk: Buffer) => {
      transferred[direction] += chunk.length
      if (cut?.direction !== direction || cut.remaining >= chunk.length) {
        if (cut?.direction === direction) cut.remaining -= chunk.length
        to.write(chunk)
        return
      }
      // The part before the cut still arrives.
      to.write(chunk.subarray(0, cut.remaining), endAll)
      cut.remaining = 0
    })
    from.once('close', () => to.destroy()).on('error', () => {})
  }
  const server = createTcpServer((client) => {
    if (cut?.remaining === 0) return client.destroy()
    const target = connect(port, '127.0.0.1')
    for (const socket of [client, target]) sockets.add(socket.once('close', () => sockets.delete(socket)))
    forward(client, target, 'up')
    forward(target, client, 'down')
  })
  return {
    port: await portOf(server.listen(0, '127.0.0.1')),
    transferred,
    cutAfter: (bytes: number, direction: Direction = 'up') => {
      cut = { direction, remaining: bytes }
    },
    mend: () => {
      cut = null
    },
    close: () => {
      endAll()
      server.close()
    },
  }
}

async function portOf(server: ReturnType<typeof createTcpServer>) {
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
