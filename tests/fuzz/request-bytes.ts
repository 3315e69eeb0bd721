import fc from 'fast-check'
import { anyText } from './any-text.ts'
import type { Known } from './hostile-forms.ts'

/** Sender of a request: a guest, a member without approval, or an administrator. */
export type Sender = 'guest' | 'member' | 'administrator'

/** Site under test: its host, the cookies of each sender, and the IDs that a visitor could learn. */
export type Target = { host: string; cookies: Record<Sender, string>; known: Known }

/** Request as the bytes on the connection. */
export type Hostile = {
  sender: Sender
  /** Bytes as text with one character per byte. */
  bytes: string
  method: string
  /** Whether the request is complete HTTP/1.1. The site must respond to a complete request. */
  isComplete: boolean
  /** Whether the sender closes the connection after the request, because the site would wait for more bytes. */
  closesEarly: boolean
}

/** Request body and its content type. Each character stands for one byte. */
export type Body = { type: string | null; bytes: string }

/** Malformed framings: the end of the request is wrong, or a header is invalid. */
export const wrongFramings = [
  'too long',
  'too short',
  'negative length',
  'no number',
  'two lengths',
  'both',
  'no length',
  'broken chunk',
  'huge chunk',
  'no last chunk',
  'long chunk extension',
  'bad trailer',
  'other encoding',
  'header without colon',
  'header with space',
  'folded header',
  'NUL in header',
  'bare line feeds',
  'HTTP/1.0',
  'HTTP/9.9',
] as const
export type Framing = 'right' | 'chunked' | 'many chunks' | (typeof wrongFramings)[number]

// The site waits for more bytes after these framings.
const waits = new Set<Framing>(['too long', 'no last chunk', 'huge chunk'])

/** Parts of a request. */
export type Pieces = {
  message: { method: string; target: string; body: Body }
  sender: Sender
  origin: string | null
  host: string | null
  cookie: string
  oddities: string[]
  network: number
  framing: Framing
  cut: number | null
}

/** Serializes a request. */
export function serializeRequest(
  { message, sender, origin, host, cookie, oddities, network, framing, cut }: Pieces,
  { cookies: senderCookies }: Target,
): Hostile {
  const { method, target, body } = message
  const { lines, content } = applyFraming(framing, body.bytes, method)
  const cookies = [senderCookies[sender], cookie].filter(Boolean).join('; ')
  const head = [
    `${method} ${target} ${framing === 'HTTP/1.0' || framing === 'HTTP/9.9' ? framing : 'HTTP/1.1'}`,
    ...(host === null ? [] : [`host: ${host}`]),
    ...(origin === null ? [] : [`origin: ${origin}`]),
    ...(cookies ? [`cookie: ${cookies}`] : []),
    // Each request claims a separate network in the header of the trusted proxy.
    `x-forwarded-for: 10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`,
    ...(body.type === null ? [] : [`content-type: ${body.type}`]),
    ...oddities,
    ...lines,
  ].join('\r\n')
  const all =
    framing === 'bare line feeds' ? `${head}\n\n${content}`.replaceAll('\r\n', '\n') : `${head}\r\n\r\n${content}`
  const bytes = cut === null ? all : all.slice(0, Math.floor((all.length * cut) / 1001))
  const isUncut = cut === null && ['right', 'chunked', 'many chunks'].includes(framing)
  // The site may close the connection during a very large or fragmented request.
  const limit = framing === 'many chunks' ? 1000 : 10_000_000
  const isComplete = isUncut && method !== 'CONNECT' && bytes.length < limit
  const closesEarly = cut !== null || waits.has(framing)
  return withReportText({ sender, bytes, method, isComplete, closesEarly })
}

function applyFraming(framing: Framing, content: string, method: string): { lines: string[]; content: string } {
  const length = content.length
  const chunks = (size: string, end = '0\r\n\r\n') => `${size}\r\n${content}\r\n${end}`
  const hex = length.toString(16)
  const chunked = ['transfer-encoding: chunked']
  const lengthOf = (value: number | string) => ({ lines: [`content-length: ${value}`], content })
  const ownLength = length === 0 && method === 'GET' ? { lines: [], content } : lengthOf(length)
  const withLine = (line: string) => ({ lines: [...ownLength.lines, line], content })
  switch (framing) {
    case 'chunked':
      return { lines: chunked, content: length > 0 ? chunks(hex) : '0\r\n\r\n' }
    case 'many chunks':
      return { lines: chunked, content: `${content.replace(/./gs, '1\r\n$&\r\n')}0\r\n\r\n` }
    case 'too long':
      return lengthOf(length + 7)
    case 'too short':
      return lengthOf(Math.max(0, length - 7))
    case 'negative length':
      return lengthOf(-1)
    case 'no number':
      return lengthOf('0x10')
    case 'two lengths':
      return { lines: [`content-length: ${length}`, `content-length: ${length + 1}`], content }
    case 'both':
      return { lines: [`content-length: ${length}`, ...chunked], content: chunks(hex) }
    case 'no length':
      return { lines: [], content }
    case 'broken chunk':
      return { lines: chunked, content: chunks('zz') }
    case 'huge chunk':
      return { lines: chunked, content: chunks('ffffffffffffffff') }
    case 'no last chunk':
      return { lines: chunked, content: chunks(hex, '') }
    case 'long chunk extension':
      return { lines: chunked, content: chunks(`${hex};${'x'.repeat(20_000)}`) }
    case 'bad trailer':
      return { lines: chunked, content: chunks(hex, '0\r\n\xff\0: x\r\n\r\n') }
    case 'other encoding':
      return { lines: ['transfer-encoding: gzip, x'], content }
    case 'header without colon':
      return withLine('no colon')
    case 'header with space':
      return withLine('a header : x')
    case 'folded header':
      return withLine('x-folded: a\r\n b')
    case 'NUL in header':
      return withLine('x-nul: a\0b')
    default:
      return ownLength
  }
}

/** Repeats the request up to 64 KB in total. All copies are sent without waiting for a response. */
export function pipelined({ bytes, ...request }: Hostile): Hostile {
  const times = Math.floor(64_000 / Math.max(64, bytes.length)) || 1
  return withReportText({ ...request, bytes: bytes.repeat(times), isComplete: false, closesEarly: true })
}

/** Bytes that are not a valid HTTP request. */
export const garbage = fc
  .oneof(
    fc.constantFrom(
      '\r\n\r\n',
      'GET',
      'GET /',
      'GET /\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      'GET  /  HTTP/1.1\r\nhost: localhost\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'x'.repeat(100_000),
      `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
      `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(5000)}\r\n`,
    ),
    anyText(60).map(toByteString),
  )
  .map((bytes) => withReportText({ sender: 'guest', bytes, method: '', isComplete: false, closesEarly: true }))

// Defines the text of the request in the report of a failing test.
function withReportText(hostile: Hostile): Hostile {
  return Object.defineProperty(hostile, fc.toStringMethod, { value: () => formatRequest(hostile), enumerable: false })
}

const MAX_SHOWN = 2000

/**
 * Returns the request as one line of escaped text with its byte count. Repeated pieces are written once with their
 * count.
 */
export function formatRequest({ sender, bytes, isComplete }: Hostile) {
  const escaped = JSON.stringify(bytes.slice(0, 100_000)).replace(
    /[\x7f-\xff]/g,
    (byte) => `\\x${byte.charCodeAt(0).toString(16)}`,
  )
  const short = escaped.replace(/(.{1,12}?)\1{15,}/g, (all, piece: string) => `«${piece}»×${all.length / piece.length}`)
  return `${sender}${isComplete ? '' : ', malformed'}, ${bytes.length} bytes: ${short.slice(0, MAX_SHOWN)}`
}

/** Percent-encodes a name or value for a URL or a form. The text may contain invalid characters. */
export function percentEncode(text: string) {
  if (text.length < 3000) return toByteString(text).replace(/[^\w.~*-]/g, encodeByte)
  return text.isWellFormed() ? encodeURIComponent(text) : toByteString(text)
}

function encodeByte(byte: string) {
  return `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** Returns the UTF-8 bytes of a text, one character per byte. A lone surrogate becomes three bytes. */
export function toByteString(text: string) {
  if (/^[\0-\x7f]*$/.test(text)) return text
  if (text.isWellFormed()) return Buffer.from(text).toString('latin1')
  return text.replace(/\P{ASCII}/gu, (each) => {
    if (each.isWellFormed()) return Buffer.from(each).toString('latin1')
    const code = each.charCodeAt(0)
    return String.fromCharCode(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f))
  })
}
