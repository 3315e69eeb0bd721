import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'

/** In milliseconds and bytes. Node closes a silent or slow connection with 408, without a log line. */
export const CONNECTION_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 5 * 60_000,
  /** Maximum delay of the two timeouts above. */
  connectionsCheckingInterval: 1000,
  /** Node waits a second longer than announced, for a request already in transit. */
  keepAliveTimeout: 5000,
  /** Without a byte in either direction, as with an unread response. Live streams send more often. */
  timeout: 5 * 60_000,
  maxHeaderSize: 16 * 1024,
  maxHeadersCount: 200,
  /** Two Host headers become a list, which is no valid URL: 400 (RFC 9112 3.2). */
  joinDuplicateHeaders: true,
}

// Browsers and proxies do not pipeline. 64 KB hold 1,600 small requests, which one event-loop turn would all start.
const MAX_PIPELINED = 10
// A chunk of one byte takes as long as one of a thousand, and 64 KB hold 10,900. Proxies send whole packets.
const MAX_TINY_CHUNKS = 1000
const TINY_CHUNK = 256

type App = {
  fetch: Parameters<typeof getRequestListener>[0]
  /** Returns false if it has not responded. */
  serveCached: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Resolves with the bound port. `close` awaits all handlers, also those of disconnected clients. */
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
    // A failed lookup of the host name has another syscall.
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
