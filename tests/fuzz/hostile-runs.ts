import fc from 'fast-check'
import { type Body, percentEncode, toByteString } from './request-bytes.ts'

// Node limits the request line and headers to 16 KB.
const HEAD_BYTES = 14_000
const FORM_BYTES = 500_000
const JSON_BYTES = 250_000
const PICTURE_BYTES = 25_000_000

const pieces = [
  ...['/', '//a', '/./', '/../', '.', '..', '-', '_', '~', '*', '+', ':', '|', '\\', "'", '"', '(', ')', '[', '{', '<'],
  ...['a', 'a ', ' ', '\t', '\n', '\r', '\r\n', '\r\n\r\n', ' \n', 'a.', '.a', 'a-', 'a@', '@', '#', '0', '0,', '1.'],
  ...['&', '=', '&=', 'a&', 'a=&', 'a=b&', ';', '; ', 'a=b; ', ',', ', ', '%', '%2f', '%41', '%00', '%25', '.data'],
  ...['br;q=0, ', 'gzip;', 'W/"x", ', '0-1,', '1.1.1.1, ', '::', ':1', 'name="', 'boundary=', '--x\r\n', '\r\n--x'],
  ...[
    '\u3000',
    '\u200b',
    '\u0301',
    '\u0301\u0323',
    '\uff9e\u0301',
    '\ufdfa',
    '🍡',
    '\ud800',
    '・',
    '［写真 ',
    'https://a',
  ],
]
const ends = ['', 'a', 'x', '/', '"', '!', ' ', '\u0323', '.', '@example.jp']

// Generates a long repetitive text. The callers encode the text for their part of the request.
function runs(size: number) {
  const end = fc.constantFrom(...ends)
  return fc.tuple(end, fc.constantFrom(...pieces), end).map(([before, piece, after]) => {
    const bytes = percentEncode(piece).length
    return before + piece.repeat(Math.max(1, Math.floor(size / bytes))) + after
  })
}

const headRuns = runs(HEAD_BYTES)
const targetRuns = (allowed: RegExp) =>
  headRuns.map((text) => (allowed.test(text) ? text : percentEncode(text).slice(0, HEAD_BYTES)))
const headerRuns = headRuns.map((text) =>
  toByteString(text)
    .replace(/[\r\n\0]/g, ' ')
    .slice(0, HEAD_BYTES),
)

/** Generates a path that is followed by a long repetitive text. */
export function longPaths(path: fc.Arbitrary<string>) {
  const run = targetRuns(/^[!"$->@-~]+$/)
  return fc.tuple(path, run, fc.constantFrom('', '/', '.data', 'b/')).map((parts) => parts.join(''))
}

/** Generates a query with a long repetitive text as the value of one of `names`, or without a name. */
export function longQueries(names: string[]) {
  const name = fc.constantFrom('', ...names.map((each) => `${each}=`))
  return fc.tuple(name, targetRuns(/^[!-~]+$/)).map((parts) => parts.join(''))
}

const headers = [
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cache-control', 'content-type', 'cookie'],
  ...['forwarded', 'if-modified-since', 'if-none-match', 'if-range', 'last-event-id', 'purpose', 'range', 'referer'],
  ...['sec-fetch-site', 'user-agent', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-made-up'],
]

/** Header with a long repetitive text as its value. */
export const longHeaders = fc
  .tuple(fc.constantFrom(...headers), fc.constantFrom('', 'bytes=', 'a=', 'multipart/form-data; '), headerRuns)
  .map(([name, before, run]) => `${name}: ${before}${run}`)

/** Cookies with a long repetitive text as a value or a name, or a very long list of cookies. */
export const longCookies = fc
  .tuple(fc.constantFrom('', 'noren.session_token=', 'noren.saved=', 'draft='), headerRuns)
  .map((parts) => parts.join(''))

const urlencoded = 'application/x-www-form-urlencoded'

// Returns as many different names as fit into `size` characters.
function manyNames(size: number, between: string) {
  return Array.from({ length: Math.floor(size / (5 + between.length)) }, (_, index) =>
    (index + 36 ** 4).toString(36).slice(-5),
  ).join(between)
}

/** Generates a form body with a long repetitive text as one of its values, or with very many separators or names. */
export function longForms({ fields }: { fields: Record<string, string> }): fc.Arbitrary<Body> {
  const encode = (fields: Record<string, string>) =>
    Object.entries(fields)
      .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
      .join('&')
  const sizes = fc.constantFrom(60_000, FORM_BYTES)
  const oneLong = sizes.chain((size) =>
    fc
      .tuple(fc.constantFrom(...Object.keys(fields), 'x'), runs(size - 5000))
      .map(([name, run]) => encode({ ...fields, [name]: run })),
  )
  const many = fc
    .tuple(sizes, fc.constantFrom('&', '=&', '=1&', '&&'))
    .map(([size, between]) => `${encode(fields)}&${manyNames(size - 3000, between)}`)
  const raw = sizes.chain((size) => runs(size - 1000)).map((run) => toByteString(run))
  return fc.record({ type: fc.constant(urlencoded), bytes: fc.oneof({ weight: 3, arbitrary: oneLong }, many, raw) })
}

/**
 * A multipart/form-data body of very many parts, or with a long repetitive text in its boundaries, headers or contents.
 */
export const longMultiparts: fc.Arbitrary<Body> = fc
  .tuple(
    fc.oneof({ weight: 20, arbitrary: fc.constant(FORM_BYTES) }, fc.constant(PICTURE_BYTES)),
    fc.constantFrom('edge', 'a'.repeat(70), '-'.repeat(70), 'ab'.repeat(35)),
    runs(3000),
    fc.constantFrom('image', 'title', 'x'),
    fc.nat({ max: 6 }),
  )
  .map(([size, edge, run, name, shape]) => {
    const part = (headers: string, content = '') => `--${edge}\r\n${headers}\r\n\r\n${content}\r\n`
    const disposition = `content-disposition: form-data; name="${name}"`
    const fill = (piece: string) => piece.repeat(Math.floor(size / piece.length))
    const bytes = [
      () => fill(part('')),
      () => fill(part(disposition)),
      () => fill(`--${edge}\r\n`),
      () => part(`${disposition}; filename="a.jpg"`, fill(`\r\n--${edge.slice(1)}`)),
      () => part(`${disposition}; filename="a.jpg"`, fill(toByteString(run).slice(0, 1000) || 'a')),
      () => fill(part(`content-disposition: form-data; ${toByteString(run)}`)),
      () => part(fill(`${disposition}\r\n`)),
    ][shape]?.()
    return { type: `multipart/form-data; boundary=${edge}`, bytes: `${bytes}--${edge}--\r\n` }
  })

/** Generates a JSON object with a long repetitive text as one value, with very many keys, or with deep nesting. */
export function longJson(fields: Record<string, string>): fc.Arbitrary<Body> {
  const size = JSON_BYTES - 10_000
  const times = (piece: string) => piece.repeat(Math.floor(size / piece.length))
  const value = fc.oneof(
    { weight: 4, arbitrary: runs(size).map((run) => JSON.stringify(run.slice(0, size / 6))) },
    fc.constantFrom(
      `${times('[').slice(0, size / 2)}${times(']').slice(0, size / 2)}`,
      `[${times('0,')}0]`,
      `[${times('{},')}0]`,
      `[${times('{"kind":"paragraph","runs":[{"text":"a "}]},')}0]`,
      `[{"kind":"paragraph","runs":[${times('{"text":"a "},')}{"text":"a"}]}]`,
      `{"${manyNames(size - 200_000, '":0,"')}":0}`,
    ),
  )
  const ownPairs = fc
    .tuple(fc.constantFrom(...Object.keys(fields), 'x'), value)
    .map(([name, long]) => ({ ...fields, [name]: long }))
  const bytes = ownPairs.map((fields) =>
    toByteString(
      `{${Object.entries(fields)
        .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
        .join(',')}}`,
    ),
  )
  return fc.record({ type: fc.constant('application/json'), bytes })
}
