import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'
import { CONNECTION_LIMITS, listen } from './listen.ts'
import { listenLocally, sampleSite } from './testing.ts'

const FAST_CHECKS = { connectionsCheckingInterval: 20 }
const SHORT_LIMITS = { ...FAST_CHECKS, headersTimeout: 100 }
const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'
const TIMEOUT_RESPONSE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
const helloApp = { fetch: async () => new Response('hello') }

test('limits the headers to fifteen seconds, and the whole request to five minutes', async () => {
  const { server } = await open(helloApp)
  expect(server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 300_000, timeout: 300_000 })
  expect(server).toMatchObject({ maxHeaderSize: 16_384, keepAliveTimeout: 5000 })
  expect(CONNECTION_LIMITS.connectionsCheckingInterval).toBeLessThanOrEqual(2000)
})

test.each([
  ['nothing', ''],
  ['half a request line', 'GET /din'],
  ['headers without an end', 'GET / HTTP/1.1\r\nhost: localhost\r\n'],
])('returns 408 and closes a connection that sends %s', async (_, text) => {
  const { port } = await open(helloApp, SHORT_LIMITS)
  const socket = connectTo(port, text)
  expect(await readAll(socket)).toBe(TIMEOUT_RESPONSE)
})

test('closes a connection whose headers arrive byte by byte past the timeout', async () => {
  const { port } = await open(helloApp, SHORT_LIMITS)
  const socket = connectTo(port)
  sendSlowly(socket, `${REQUEST.trimEnd()}\r\nx: ${'x'.repeat(10_000)}`)
  // A byte that arrives after the server has closed the connection can discard the response.
  expect([TIMEOUT_RESPONSE, '']).toContain(await readAll(socket))
})

test('handles a request that arrives byte by byte within the timeout', async () => {
  const { port } = await open(helloApp, FAST_CHECKS)
  const socket = connectTo(port)
  sendSlowly(socket, REQUEST)
  expect(await readAll(socket)).toMatch(/^HTTP\/1.1 200 [\s\S]*hello$/)
})

test('applies the header timeout to the second request of a connection', async () => {
  const { port, server } = await open(helloApp, { ...FAST_CHECKS, keepAliveTimeout: 60_000 })
  const socket = connectTo(port, REQUEST.replace('close', 'keep-alive'))
  await once(socket, 'data')
  server.headersTimeout = SHORT_LIMITS.headersTimeout
  socket.write('GET / HT')
  expect(await readAll(socket)).toBe(TIMEOUT_RESPONSE)
})

test('closes a connection that sends more than ten requests before a response', async () => {
  const requestedPaths: string[] = []
  const response = Promise.withResolvers<Response>()
  const { port } = await open({
    fetch: (request) => {
      requestedPaths.push(new URL(request.url).pathname)
      return response.promise
    },
  })
  const requestsTo = (path: string, count: number) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(count)
  const [patient, hasty] = [connectTo(port), connectTo(port)]
  patient.write(requestsTo('/patient', 10))
  hasty.write(requestsTo('/hasty', 1000))
  await readAll(hasty)
  await vi.waitUntil(() => requestedPaths.filter((path) => path === '/patient').length === 10, WAIT_OPTIONS)
  expect(requestedPaths.filter((path) => path === '/hasty')).toHaveLength(10)
})

test.each([
  ['reads', async (request: Request) => new Response(await request.text().catch(() => ''))],
  ['refuses', async () => new Response('', { status: 400 })],
])('closes a connection that sends thousands of tiny chunks to a handler that %s them', async (_, fetch) => {
  const { port, server } = await open({ fetch })
  const head = 'POST / HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n'
  const send = async (size: number, count: number) => {
    const connection = once(server, 'connection') as Promise<[Socket]>
    const socket = connectTo(port)
    socket.write(`${head}${`${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`.repeat(count)}0\r\n\r\n`)
    const [serverSocket] = await connection
    return { socket, serverSocket }
  }
  for (const [size, count] of [
    [300, 2000],
    [1, 1000],
  ] as const) {
    const { socket } = await send(size, count)
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1.1 [24]00 /)
    socket.destroy()
  }
  const { socket, serverSocket } = await send(1, 2_000_000)
  await readAll(socket)
  expect(serverSocket.bytesRead).toBeLessThan(1_000_000)
})

test('handles the eleventh request of a connection after an earlier response', async () => {
  const { port } = await open(helloApp)
  const socket = connectTo(port)
  for (let round = 0; round < 11; round += 1) {
    socket.write(REQUEST.replace('close', 'keep-alive'))
    expect(String(await once(socket, 'data').then(([bytes]) => bytes))).toContain('200 OK')
  }
})

test('returns 408 when a body does not end', async () => {
  const reading = { fetch: async (request: Request) => new Response(await request.text().catch(() => 'not read')) }
  const { port } = await open(reading, { ...SHORT_LIMITS, requestTimeout: 100 })
  const socket = connectTo(port, 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf')
  expect(await readAll(socket)).toBe(TIMEOUT_RESPONSE)
})

test('allows bodies, live streams and slow readers more time than headers', async () => {
  const { app, live } = await sampleSite()
  const awaited = Promise.withResolvers<void>()
  const longAnswer = 'y'.repeat(16 * 1024 * 1024)
  const { port, server } = await open(
    {
      fetch: async (request, env) => {
        const { pathname } = new URL(request.url)
        if (pathname === '/long') return new Response(longAnswer)
        if (pathname !== '/body') return app.fetch(request, env)
        awaited.resolve()
        return new Response(await request.text())
      },
    },
    FAST_CHECKS,
  )
  const body = 'POST /body HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 8\r\n\r\nhalf'
  const sender = connectTo(port, body)
  const listener = connectTo(port, REQUEST.replace('/', '/api/live'))
  const reader = connectTo(port, REQUEST.replace('/', '/long'))
  await Promise.all([awaited.promise, once(listener, 'data'), once(reader, 'readable')])

  // A later connection times out, so the header timeout of all three has passed.
  server.headersTimeout = SHORT_LIMITS.headersTimeout
  expect(await readAll(connectTo(port))).toBe(TIMEOUT_RESPONSE)
  sender.write('half')
  expect(await readAll(sender)).toMatch(/^HTTP\/1.1 200 [\s\S]*halfhalf$/)
  live.publish('dining')
  expect(String(await once(listener, 'data'))).toContain('data: dining')
  expect((await readAll(reader)).endsWith(longAnswer)).toBe(true)
  await live.close()
})

test('closes a connection whose response is not read', async () => {
  const { port, server } = await open(
    { fetch: async () => new Response('y'.repeat(64 * 1024 * 1024)) },
    { timeout: 100 },
  )
  const connection = once(server, 'connection') as Promise<[Socket]>
  connectTo(port).write(REQUEST)
  const [serverSocket] = await connection
  await once(serverSocket, 'close')
})

test('rejects malformed requests with only a status, and writes no log line', async () => {
  const { app, logged } = await sampleSite()
  const { port, server } = await open(app, FAST_CHECKS)
  const responseTo = (text: string) => readAll(connectTo(port, text))
  const statusLine = (status: string) => `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`
  const head = 'GET / HTTP/1.1\r\nhost: localhost\r\n'
  expect(await responseTo('what\r\n\r\n')).toBe(statusLine('400 Bad Request'))
  expect(await responseTo(`${head}content-length: some\r\n\r\n`)).toBe(statusLine('400 Bad Request'))
  const tooLarge = statusLine('431 Request Header Fields Too Large')
  expect(await responseTo(`GET /${'x'.repeat(16 * 1024)}`)).toBe(tooLarge)
  expect(await responseTo(`${head}cookie: ${'x'.repeat(16 * 1024)}`)).toBe(tooLarge)
  expect(await responseTo(`${head}${'a:\r\n'.repeat(200)}\r\n`)).toBe(tooLarge)
  server.headersTimeout = SHORT_LIMITS.headersTimeout
  expect(await responseTo('GET')).toBe(TIMEOUT_RESPONSE)
  expect(logged).toEqual([])
})

test.each([
  ['two different names', 'host: localhost\r\nhost: elsewhere.example\r\n'],
  ['one name twice', 'host: localhost\r\nHost: localhost\r\n'],
  ['an empty one first', 'host:\r\nhost: localhost\r\n'],
  ['none', ''],
])('rejects a request when its Host headers are %s', async (_, hosts) => {
  const requestedPaths: string[] = []
  const fetch = async (request: Request) => {
    requestedPaths.push(request.url)
    return new Response('hello')
  }
  const serveCached = ({ headers }: IncomingMessage) => {
    if (headers.host === 'localhost') requestedPaths.push('cache')
    return false
  }
  const { port } = await open({ fetch, serveCached })
  const socket = connectTo(port, `GET / HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`)
  expect(await readAll(socket)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(requestedPaths).toEqual([])
})

test('rejects when the port is in use', async () => {
  const { port } = await open(helloApp)
  await expect(
    listen({ ...helloApp, serveCached: () => false }, { port, hostname: '127.0.0.1' }, CONNECTION_LIMITS),
  ).rejects.toThrow('EADDRINUSE')
})

async function open(...args: Parameters<typeof listenLocally>) {
  const site = await listenLocally(...args)
  onTestFinished(() => {
    site.server.close()
    site.server.closeAllConnections()
  })
  return site
}

/** Connects to a port and sends a text. */
function connectTo(port: number, text = '') {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  // Bytes in transit when the server closes cause an error.
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Reads until the server closes the connection. */
async function readAll(socket: Socket) {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

function sendSlowly(socket: Socket, text: string) {
  const bytes = [...text]
  const timer = setInterval(() => socket.write(bytes.shift() ?? ''), 5)
  socket.once('close', () => clearInterval(timer))
}

test('completes pending requests, but accepts no new requests, during shutdown', async () => {
  const body = Promise.withResolvers<string>()
  const arrived = Promise.withResolvers<void>()
  const slow = {
    fetch: async () => {
      arrived.resolve()
      return new Response(await body.promise)
    },
  }
  const { port, close } = await open(slow)
  const [pending, idle] = [connectTo(port), connectTo(port)]
  pending.write(REQUEST.replace('close', 'keep-alive'))
  await arrived.promise
  const closed = close()
  await once(idle.resume(), 'close')
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  body.resolve('whole')
  expect(await readAll(pending)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*Connection: close[\s\S]*whole$/i)
  await closed
})

test('waits during shutdown for the handler of a disconnected client', async () => {
  const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const fetch = async () => {
    begun.resolve()
    await finished.promise
    return new Response('hello')
  }
  const { port, server, close } = await listenLocally({ fetch })
  const socket = connectTo(port, REQUEST)
  await begun.promise
  const closed = once(server, 'close')
  const ended = close().then(() => 'ended')
  socket.destroy()
  await closed
  const waits = new Promise((resolve) => setImmediate(resolve, 'waits'))
  expect(await Promise.race([ended, waits])).toBe('waits')
  finished.resolve()
  expect(await ended).toBe('ended')
})

test('waits during shutdown until a slow client has read a cached response', async () => {
  const content = Buffer.alloc(32 * 1024 * 1024, 'y')
  const serveCached = (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-length': content.length }).end(content)
    return true
  }
  const { port, server, close } = await open({ ...helloApp, serveCached }, { keepAliveTimeout: 600_000 })
  const requested = once(server, 'request')
  const reader = connectTo(port, REQUEST.replace('close', 'keep-alive'))
  await requested
  const closed = close()
  expect((await readAll(reader)).endsWith('yyyy')).toBe(true)
  await closed
})
