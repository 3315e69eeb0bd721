import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CONNECTION_LIMITS, listen } from './listen.ts'
import { listenHere, sampleSite } from './testing.ts'

const LOOKING_OFTEN = { connectionsCheckingInterval: 20 }
const SHORT = { ...LOOKING_OFTEN, headersTimeout: 100 }
const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'
const tooLate = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
const hello = { fetch: async () => new Response('hello') }

test('limits the headers to fifteen seconds, and the whole request to five minutes', async () => {
  const { server } = await opened(hello)
  expect(server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 300_000, timeout: 300_000 })
  expect(server).toMatchObject({ maxHeaderSize: 16_384, keepAliveTimeout: 5000 })
  expect(CONNECTION_LIMITS.connectionsCheckingInterval).toBeLessThanOrEqual(2000)
})

test.each([
  ['nothing', ''],
  ['half a request line', 'GET /din'],
  ['headers without an end', 'GET / HTTP/1.1\r\nhost: localhost\r\n'],
])('returns 408 and closes a connection that sends %s', async (_, said) => {
  const { port } = await opened(hello, SHORT)
  const socket = connectTo(port, said)
  expect(await allOf(socket)).toBe(tooLate)
})

test('closes a connection whose headers arrive byte by byte past the timeout', async () => {
  const { port } = await opened(hello, SHORT)
  const socket = connectTo(port)
  drip(socket, `${REQUEST.trimEnd()}\r\nx: ${'x'.repeat(10_000)}`)
  // A byte that arrives after the close can discard the response.
  expect([tooLate, '']).toContain(await allOf(socket))
})

test('handles a request that arrives byte by byte within the timeout', async () => {
  const { port } = await opened(hello, LOOKING_OFTEN)
  const socket = connectTo(port)
  drip(socket, REQUEST)
  expect(await allOf(socket)).toMatch(/^HTTP\/1.1 200 [\s\S]*hello$/)
})

test('applies the header timeout to the second request of a connection', async () => {
  const { port, server } = await opened(hello, { ...LOOKING_OFTEN, keepAliveTimeout: 60_000 })
  const socket = connectTo(port, REQUEST.replace('close', 'keep-alive'))
  await once(socket, 'data')
  server.headersTimeout = SHORT.headersTimeout
  socket.write('GET / HT')
  expect(await allOf(socket)).toBe(tooLate)
})

test('closes a connection that sends more than ten requests before a response', async () => {
  const asked: string[] = []
  const answer = Promise.withResolvers<Response>()
  const { port } = await opened({
    fetch: (request) => {
      asked.push(new URL(request.url).pathname)
      return answer.promise
    },
  })
  const requestsTo = (path: string, count: number) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(count)
  const [patient, hasty] = [connectTo(port), connectTo(port)]
  patient.write(requestsTo('/patient', 10))
  hasty.write(requestsTo('/hasty', 1000))
  await allOf(hasty)
  await vi.waitUntil(() => asked.filter((path) => path === '/patient').length === 10)
  expect(asked.filter((path) => path === '/hasty')).toHaveLength(10)
})

test.each([
  ['reads', async (request: Request) => new Response(await request.text().catch(() => ''))],
  ['refuses', async () => new Response('', { status: 400 })],
])('closes a connection that sends thousands of tiny chunks to a handler that %s them', async (_, fetch) => {
  const { port, server } = await opened({ fetch })
  const head = 'POST / HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n'
  const send = async (size: number, count: number) => {
    const connection = once(server, 'connection') as Promise<[Socket]>
    const socket = connectTo(port)
    socket.write(`${head}${`${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`.repeat(count)}0\r\n\r\n`)
    const [itsSide] = await connection
    return { socket, itsSide }
  }
  for (const [size, count] of [
    [300, 2000],
    [1, 1000],
  ] as const) {
    const { socket } = await send(size, count)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 [24]00 /)
    socket.destroy()
  }
  const { socket, itsSide } = await send(1, 2_000_000)
  await allOf(socket)
  expect(itsSide.bytesRead).toBeLessThan(1_000_000)
})

test('handles the eleventh request of a connection after an earlier response', async () => {
  const { port } = await opened(hello)
  const socket = connectTo(port)
  for (let turn = 0; turn < 11; turn += 1) {
    socket.write(REQUEST.replace('close', 'keep-alive'))
    expect(String(await once(socket, 'data').then(([bytes]) => bytes))).toContain('200 OK')
  }
})

test('returns 408 when a body does not end', async () => {
  const reading = { fetch: async (request: Request) => new Response(await request.text().catch(() => 'not read')) }
  const { port } = await opened(reading, { ...SHORT, requestTimeout: 100 })
  const socket = connectTo(port, 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf')
  expect(await allOf(socket)).toBe(tooLate)
})

test('allows bodies, live streams and slow readers more time than headers', async () => {
  const { app, live } = await sampleSite()
  const awaited = Promise.withResolvers<void>()
  const longAnswer = 'y'.repeat(16 * 1024 * 1024)
  const { port, server } = await opened(
    {
      fetch: async (request, env) => {
        const { pathname } = new URL(request.url)
        if (pathname === '/long') return new Response(longAnswer)
        if (pathname !== '/body') return app.fetch(request, env)
        awaited.resolve()
        return new Response(await request.text())
      },
    },
    LOOKING_OFTEN,
  )
  const body = 'POST /body HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 8\r\n\r\nhalf'
  const sender = connectTo(port, body)
  const listener = connectTo(port, REQUEST.replace('/', '/api/live'))
  const reader = connectTo(port, REQUEST.replace('/', '/long'))
  await Promise.all([awaited.promise, once(listener, 'data'), once(reader, 'readable')])

  // A later connection times out, so the header timeout of all three has passed.
  server.headersTimeout = SHORT.headersTimeout
  expect(await allOf(connectTo(port))).toBe(tooLate)
  sender.write('half')
  expect(await allOf(sender)).toMatch(/^HTTP\/1.1 200 [\s\S]*halfhalf$/)
  live.announce('dining')
  expect(String(await once(listener, 'data'))).toContain('data: dining')
  expect((await allOf(reader)).endsWith(longAnswer)).toBe(true)
  await live.close()
})

test('closes a connection whose response is not read', async () => {
  const { port, server } = await opened(
    { fetch: async () => new Response('y'.repeat(64 * 1024 * 1024)) },
    { timeout: 100 },
  )
  const connection = once(server, 'connection') as Promise<[Socket]>
  connectTo(port).write(REQUEST)
  const [itsSide] = await connection
  await once(itsSide, 'close')
})

test('rejects malformed requests with a bare status and without a log line', async () => {
  const { app, logged } = await sampleSite()
  const { port, server } = await opened(app, LOOKING_OFTEN)
  const answerTo = (said: string) => allOf(connectTo(port, said))
  const bare = (status: string) => `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`
  const head = 'GET / HTTP/1.1\r\nhost: localhost\r\n'
  expect(await answerTo('what\r\n\r\n')).toBe(bare('400 Bad Request'))
  expect(await answerTo(`${head}content-length: some\r\n\r\n`)).toBe(bare('400 Bad Request'))
  const tooMuch = bare('431 Request Header Fields Too Large')
  expect(await answerTo(`GET /${'x'.repeat(16 * 1024)}`)).toBe(tooMuch)
  expect(await answerTo(`${head}cookie: ${'x'.repeat(16 * 1024)}`)).toBe(tooMuch)
  expect(await answerTo(`${head}${'a:\r\n'.repeat(200)}\r\n`)).toBe(tooMuch)
  server.headersTimeout = SHORT.headersTimeout
  expect(await answerTo('GET')).toBe(tooLate)
  expect(logged).toEqual([])
})

test.each([
  ['two different names', 'host: localhost\r\nhost: elsewhere.example\r\n'],
  ['one name twice', 'host: localhost\r\nHost: localhost\r\n'],
  ['an empty one first', 'host:\r\nhost: localhost\r\n'],
  ['none', ''],
])('rejects a request when its Host headers are %s', async (_, hosts) => {
  const asked: string[] = []
  const fetch = async (request: Request) => {
    asked.push(request.url)
    return new Response('hello')
  }
  const serveCached = ({ headers }: IncomingMessage) => {
    if (headers.host === 'localhost') asked.push('cache')
    return false
  }
  const { port } = await opened({ fetch, serveCached })
  const socket = connectTo(port, `GET / HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`)
  expect(await allOf(socket)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(asked).toEqual([])
})

test('rejects when the port is in use', async () => {
  const { port } = await opened(hello)
  await expect(
    listen({ ...hello, serveCached: () => false }, { port, hostname: '127.0.0.1' }, CONNECTION_LIMITS),
  ).rejects.toThrow('EADDRINUSE')
})

async function opened(...given: Parameters<typeof listenHere>) {
  const site = await listenHere(...given)
  onTestFinished(() => {
    site.server.close()
    site.server.closeAllConnections()
  })
  return site
}

/** Connects to a port and sends a text. */
function connectTo(port: number, said = '') {
  const socket = connect(port, '127.0.0.1')
  socket.write(said)
  // Bytes in transit when the server closes cause an error.
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Reads until the server closes the connection. */
async function allOf(socket: Socket) {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

function drip(socket: Socket, text: string) {
  const bytes = [...text]
  const timer = setInterval(() => socket.write(bytes.shift() ?? ''), 5)
  socket.once('close', () => clearInterval(timer))
}

test('completes pending requests with Connection: close, and accepts none, during shutdown', async () => {
  const body = Promise.withResolvers<string>()
  const arrived = Promise.withResolvers<void>()
  const slow = {
    fetch: async () => {
      arrived.resolve()
      return new Response(await body.promise)
    },
  }
  const { port, close } = await opened(slow)
  const [under, idle] = [connectTo(port), connectTo(port)]
  under.write(REQUEST.replace('close', 'keep-alive'))
  await arrived.promise
  const closed = close()
  await once(idle.resume(), 'close')
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  body.resolve('whole')
  expect(await allOf(under)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*Connection: close[\s\S]*whole$/i)
  await closed
})

test('waits during shutdown for the handler of a disconnected client', async () => {
  const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const fetch = async () => {
    begun.resolve()
    await finished.promise
    return new Response('hello')
  }
  const { port, server, close } = await listenHere({ fetch })
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
  const answer = Buffer.alloc(32 * 1024 * 1024, 'y')
  const serveCached = (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-length': answer.length }).end(answer)
    return true
  }
  const { port, server, close } = await opened({ ...hello, serveCached }, { keepAliveTimeout: 600_000 })
  const asked = once(server, 'request')
  const reader = connectTo(port, REQUEST.replace('close', 'keep-alive'))
  await asked
  const closed = close()
  expect((await allOf(reader)).endsWith('yyyy')).toBe(true)
  await closed
})
