import { connect, type Socket } from 'node:net'
import type { Hostile } from './request-bytes.ts'

/** Response as received; `body` may be compressed. */
export type Reply = { status: number; head: string; body: Buffer }

type Sent = Pick<Hostile, 'bytes' | 'method' | 'whole' | 'hangsUp'>

const PATIENCE_MS = 30_000

/**
 * Opens a connection to the site on this port, and reuses it while the site keeps it alive. `send` returns the
 * response, or null if the site closed the connection without one. It throws after 30 seconds without either.
 */
export function openLine(port: number) {
  let kept: Socket | null = null

  async function send(sent: Sent): Promise<Reply | null> {
    const reused = kept?.closed || kept?.readableEnded ? null : kept
    const socket = reused ?? connect({ port, host: '127.0.0.1' }).on('error', () => {})
    kept = null
    const { answer, bytes } = await exchange(socket, sent)
    // The site closed the idle connection just before its reuse.
    if (reused && bytes === 0 && !sent.hangsUp) return send(sent)
    // After an upgrade request, Node does not respond to errors in the next request.
    const asksForMore = /\r\nupgrade:/i.test(sent.bytes)
    if (answer && sent.whole && !asksForMore && !isLast(answer) && !socket.destroyed) kept = socket
    else socket.destroy()
    return answer
  }

  return { send, close: () => void kept?.destroy() }
}

export type Line = ReturnType<typeof openLine>

async function exchange(socket: Socket, { bytes, method, hangsUp }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<{ answer: Reply | null; bytes: number }>()
  let heard: Buffer = Buffer.alloc(0)
  const finish = (ended: boolean) => {
    const answer = answerIn(heard, { bodiless: method === 'HEAD', ended })
    if (answer || ended) resolve({ answer, bytes: heard.length })
  }
  const hear = (chunk: Buffer) => {
    heard = heard.length === 0 ? chunk : Buffer.concat([heard, chunk])
    finish(false)
  }
  const end = () => finish(true)
  const tooLong = setTimeout(() => {
    socket.destroy()
    reject(new Error('It waits for half a minute'))
  }, PATIENCE_MS)
  socket.on('data', hear).on('end', end).on('close', end)
  socket.write(bytes, 'latin1')
  if (hangsUp) socket.end()
  try {
    return await promise
  } finally {
    clearTimeout(tooLong)
    socket.off('data', hear).off('end', end).off('close', end)
  }
}

// Parses the first response in the received bytes. Returns null if it is incomplete. The beginning of a stream is
// enough.
function answerIn(bytes: Buffer, { bodiless, ended }: { bodiless: boolean; ended: boolean }): Reply | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const head = bytes.toString('latin1', 0, headEnd + 2)
  const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1])
  const rest = bytes.subarray(headEnd + 4)
  if (status >= 100 && status < 200) return answerIn(rest, { bodiless, ended })
  const body = bodiless || status === 204 || status === 304 ? rest.subarray(0, 0) : bodyIn(rest, head, ended)
  return body && { status, head, body }
}

function bodyIn(rest: Buffer, head: string, ended: boolean) {
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
