import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'

/** Limits of a connection, in ms and bytes. Node closes a silent or slow connection with 408 and no log line. */
export const CONNECTION_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 5 * 60_000,
  /** Maximum delay of the two timeouts above. */
  connectionsCheckingInterval: 1000,
  /** Node waits a second longer than announced, because a request may be in transit. */
  keepAliveTimeout: 5000,
  /** Maximum time without a byte in either direction. Live streams send bytes more often. */
  timeout: 5 * 60_000,
  maxHeaderSize: 16 * 1024,
  maxHeadersCount: 200,
  /** Joins two Host headers into a list, which is no valid URL and causes 400 (RFC 9112 3.2). */
  joinDuplicateHeaders: true,
}

// Browsers and proxies do not pipeline requests. A buffer of 64 KB holds 1,600 small requests, and one event-loop turn
// would start all of them.
const MAX_PIPELINED = 10
// A chunk of one byte takes as long as a chunk of a thousand bytes. A buffer of 64 KB holds 10,900 chunks of one byte.
// Proxies send whole packets.
const MAX_TINY_CHUNKS = 1000
const TINY_CHUNK = 256

type App = {
  fetch: Parameters<typeof getRequestListener>[0]
  /** Sends the response from the cache. Returns false if no response is cached. */
  serveCached: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Starts the server. Resolves with the bound port. `close` awaits all handlers, also of disconnected clients. */
export async function listen(
  app: App,
  { port, hostname }: { port: number; hostname: string },
  { timeout, maxHeadersCount, ...serverOptions }: typeof CONNECTION_LIMITS,
) {
  const pendingHandlers = new Set<unknown>()
  const fetch: App['fetch'] = async (...args) => {
    const response = app.fetch(...args)
    pendingHandlers.add(response)
    try {
      return await response
    } finally {
      pendingHandlers.delete(response)
    }
  }
  const handle = getRequestListener(fetch, { hostname })
  const pendingResponses = new Set<ServerResponse>()
  const pendingCounts = new WeakMap<Socket, number>()
  let isClosing = false
  const server = createServer(serverOptions, (request, response) => {
    const { socket } = request
    const pendingCount = pendingCounts.get(socket) ?? 0
    if (pendingCount === MAX_PIPELINED) socket.destroy()
    if (socket.destroyed) return
    pendingCounts.set(socket, pendingCount + 1)
    if (request.headers['transfer-encoding']) limitTinyChunks(request, response)
    response.once('close', () => pendingCounts.set(socket, (pendingCounts.get(socket) ?? 1) - 1))
    if (isClosing) response.shouldKeepAlive = false
    if (app.serveCached(request, response)) return
    pendingResponses.add(response)
    response.once('close', () => pendingResponses.delete(response))
    void handle(request, response)
  })
  Object.assign(server, { timeout, maxHeadersCount })
  const listening = once(server, 'listening').catch((error) => {
    // Sets `syscall`, because the error of a failed host name lookup has another value.
    throw Object.assign(error, { syscall: 'listen' })
  })
  server.listen(port, hostname)
  const close = async () => {
    isClosing = true
    for (const response of pendingResponses) response.shouldKeepAlive = false
    const closed = once(server, 'close')
    server.close()
    server.closeIdleConnections()
    await closed
    // Handlers of disconnected clients still run, and need the database.
    await Promise.allSettled(pendingHandlers)
  }
  await listening
  return { server, close, port: (server.address() as AddressInfo).port }
}

function limitTinyChunks(request: IncomingMessage, response: ServerResponse) {
  const push = request.push.bind(request)
  let [chunks, bytes] = [0, 0]
  request.push = (chunk: Buffer | null) => {
    if (chunk) chunks += 1
    bytes += chunk?.length ?? 0
    if (chunks > MAX_TINY_CHUNKS && bytes < chunks * TINY_CHUNK) request.socket.destroy()
    return !request.socket.destroyed && push(chunk)
  }
  // Once the response is finished, Node discards an unread body without pushing its chunks.
  request.read(0)
  response.once('finish', () => request.resume())
}
