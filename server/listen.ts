import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'

/**
 * How long a connection may take, in milliseconds, and how much it may say, in bytes. Who says nothing, half a request or
 * one byte now and then is answered 408 and closed; Node does that without a line in the log.
 */
export const connectionLimits = {
  /** From the opening, or the first byte of a later request, to the end of the headers. */
  headersTimeout: 15_000,
  /** To the end of the body. */
  requestTimeout: 5 * 60_000,
  /** How late the two above may be noticed. */
  connectionsCheckingInterval: 1000,
  /** Between two requests. Node gives a second more than it tells the other side, who may be about to ask. */
  keepAliveTimeout: 5000,
  /** Without a byte in either direction: an answer that nobody reads. A live stream says something more often. */
  timeout: 5 * 60_000,
  maxHeaderSize: 16 * 1024,
  maxHeadersCount: 200,
  /** Two Host headers become a list, which no URL can have: they are answered 400 (RFC 9112 3.2). */
  joinDuplicateHeaders: true,
}

// Browsers and proxies wait for an answer before they send the next request. 64 KB hold 1,600 small requests, which would
// all be handled in one turn of the event loop.
const MAX_PIPELINED = 10
// A chunk of a chunked body takes as long for one byte as for a thousand, and 64 KB hold 10,900 such chunks. Proxies send
// what has arrived, at least a packet.
const MAX_TINY_CHUNKS = 1000
const TINY_CHUNK = 256

type App = {
  fetch: Parameters<typeof getRequestListener>[0]
  /** Answers before a Request is made, or says false. */
  door?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/**
 * Opens the app to HTTP within these limits; resolves when it listens, with the port it got, and rejects where it cannot.
 * `close` takes no new requests, lets those under way end, and resolves when the last connection has, and what was
 * begun for who has gone away.
 */
export async function listen(
  app: App,
  { port, hostname }: { port: number; hostname: string },
  limits: Partial<typeof connectionLimits> = {},
) {
  const { timeout, maxHeadersCount, ...serverOptions } = { ...connectionLimits, ...limits }
  const answering = new Set<unknown>()
  const fetch: App['fetch'] = async (...asked) => {
    const answer = app.fetch(...asked)
    answering.add(answer)
    try {
      return await answer
    } finally {
      answering.delete(answer)
    }
  }
  const behindDoor = getRequestListener(fetch, { hostname })
  const underWay = new Set<ServerResponse>()
  const unanswered = new WeakMap<Socket, number>()
  let ends = false
  const server = createServer(serverOptions, (request, response) => {
    const { socket } = request
    const before = unanswered.get(socket) ?? 0
    if (before === MAX_PIPELINED) socket.destroy()
    if (socket.destroyed) return
    unanswered.set(socket, before + 1)
    if (request.headers['transfer-encoding']) limitTinyChunks(request, response)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    // Whoever is answered from then on is told that the connection ends with the answer.
    if (ends) response.shouldKeepAlive = false
    if (app.door?.(request, response)) return
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    void behindDoor(request, response)
  })
  Object.assign(server, { timeout, maxHeadersCount })
  const listening = once(server, 'listening').catch((error) => {
    // The lookup of an unknown name is part of it.
    throw Object.assign(error, { syscall: 'listen' })
  })
  server.listen(port, hostname)
  const close = async () => {
    ends = true
    for (const response of underWay) response.shouldKeepAlive = false
    const closed = once(server, 'close')
    server.close()
    server.closeIdleConnections()
    await closed
    // Whoever asked may have gone away: what was begun for them goes on, and needs the database.
    await Promise.allSettled(answering)
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
  // Node discards the rest of a body that nobody has read, once the response is finished, without pushing its chunks.
  request.read(0)
  response.once('finish', () => request.resume())
}
