import { connect, type Socket } from 'node:net'
import type { Hostile } from './request-bytes.ts'

/** Response as received; `body` may be compressed. */
export type Reply = { status: number; head: string; body: Buffer }

type Sent = Pick<Hostile, 'bytes' | 'method' | 'isComplete' | 'closesEarly'>

const RESPONSE_TIMEOUT_MS = Math.ceil(30_000 * Number(process.env.TEST_TIME_FACTOR ?? 1))

/**
 * Opens a connection to the site on this port, and reuses the connection while it is open. `send` returns the response,
 * or null if the site closed the connection without a response. `send` throws after a timeout of 30 seconds.
 */
export function openConnection(port: number) {
  let idleSocket: Socket | null = null

  async function send(request: Sent): Promise<Reply | null> {
    const reused = idleSocket?.closed || idleSocket?.readableEnded ? null : idleSocket
    const socket = reused ?? connect({ port, host: '127.0.0.1' }).on('error', () => {})
    idleSocket = null
    const { response, bytes } = await exchange(socket, request)
    // If no byte was received, the site closed the idle connection just before its reuse.
    if (reused && bytes === 0 && !request.closesEarly) return send(request)
    // After an upgrade request, Node does not respond to errors in the next request, so the connection is not reused.
    const isUpgrade = /\r\nupgrade:/i.test(request.bytes)
    if (response && request.isComplete && !isUpgrade && !isLast(response) && !socket.destroyed) idleSocket = socket
    else socket.destroy()
    return response
  }

  return { send, close: () => void idleSocket?.destroy() }
}

export type Connection = ReturnType<typeof openConnection>

async function exchange(socket: Socket, { bytes, method, closesEarly }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<{ response: Reply | null; bytes: number }>()
  let received: Buffer = Buffer.alloc(0)
  const finish = (ended: boolean) => {
    const response = parseResponse(received, { bodiless: method === 'HEAD', ended })
    if (response || ended) resolve({ response, bytes: received.length })
  }
  const receive = (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    finish(false)
  }
  const end = () => finish(true)
  const timer = setTimeout(() => {
    socket.destroy()
    reject(new Error(`No response within ${RESPONSE_TIMEOUT_MS} ms`))
  }, RESPONSE_TIMEOUT_MS)
  socket.on('data', receive).on('end', end).on('close', end)
  socket.write(bytes, 'latin1')
  if (closesEarly) socket.end()
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.off('data', receive).off('end', end).off('close', end)
  }
}

// Parses the first response in the received bytes. Returns null if the response is incomplete. The beginning of an SSE
// stream counts as complete.
function parseResponse(bytes: Buffer, { bodiless, ended }: { bodiless: boolean; ended: boolean }): Reply | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const head = bytes.toString('latin1', 0, headEnd + 2)
  const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1])
  const rest = bytes.subarray(headEnd + 4)
  if (status >= 100 && status < 200) return parseResponse(rest, { bodiless, ended })
  const body = bodiless || status === 204 || status === 304 ? rest.subarray(0, 0) : parseBody(rest, head, ended)
  return body && { status, head, body }
}

function parseBody(rest: Buffer, head: string, ended: boolean) {
  if (isStream(head)) return rest
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : null
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return ended ? rest : null
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd === -1) return null
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16)
    if (rest.length < lineEnd + size + 4) return null
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + size + 4
  }
}

function isLast({ head }: Reply) {
  return isStream(head) || /\r\nconnection: close/i.test(head)
}

function isStream(head: string) {
  return /\r\ncontent-type: text\/event-stream/i.test(head)
}
