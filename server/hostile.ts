import type { RouteConfigEntry } from '@react-router/dev/routes'
import fc from 'fast-check'
import routes from '../app/routes.ts'
import {
  type Asked,
  type Body,
  type Framing,
  garbage,
  type Hostile,
  inBytes,
  percent,
  type Sender,
  written,
  wrongFramings,
} from './hostile-bytes.ts'
import { type Call, callsOf, type Form, formsOf, type Known, queriesOf } from './hostile-forms.ts'
import {
  brokenJson,
  brokenValues,
  contentTypes,
  formStates,
  noJson,
  oddHeaders,
  strangeCookies,
  strangeHosts,
  strangeNames,
  strangeSegments,
} from './hostile-values.ts'

/** The addresses of server/app.ts, as they are written there. */
export const serverPaths = [
  '/api/health',
  '/api/live',
  '/assets/*',
  '/art/*',
  '/pictures/:file',
  '/fonts/heading.woff2',
  '/robots.txt',
  '/sitemap.xml',
  '/manifest.webmanifest',
  '/mail',
  '/mail.data',
  '/inbox',
  '/inbox.data',
  '/api/mail',
  '/api/delete',
  '/api/upload',
  '/api/collections/:name',
  '/api/collections/:name/*',
  '/api/collections/:name/:id',
  '/api/auth/*',
]

/** The addresses of app/routes.ts, as they are written there. */
export const routePaths = pathsIn(routes)

function pathsIn(entries: RouteConfigEntry[], parent = ''): string[] {
  return entries.flatMap(({ path = '', children = [] }) => [
    `${parent}/${path}`,
    ...pathsIn(children, `${parent}/${path}`),
  ])
}

type Pair = readonly [name: string, value: string]

/** Requests of every kind that the site must answer with less than 500, or not at all where they are malformed. */
export function hostileRequests(asked: Asked, senders: Sender[]): fc.Arbitrary<Hostile> {
  const address = addresses(asked)
  const queried = fc.tuple(address, queries(asked.known)).map(([path, query]) => joined(path, query))
  const form = fc.constantFrom(...formsOf(asked.known))
  const call = fc.constantFrom(...callsOf(asked.known))
  const body = fc.oneof(
    form.chain(formBodies),
    call.chain(({ given }) => jsonBodies(given)),
    absurdBodies,
  )
  const nothing = fc.constant<Body>({ type: null, bytes: '' })

  const what = fc.oneof(
    { weight: 6, arbitrary: fc.record({ method: rarelyOther('GET'), target: targets(queried, asked), body: nothing }) },
    { weight: 9, arbitrary: form.chain((each) => formRequests(each, asked)) },
    { weight: 6, arbitrary: call.chain((each) => callRequests(each, asked)) },
    { weight: 3, arbitrary: fc.record({ method: methods, target: targets(queried, asked), body }) },
  )
  const request = fc.record({
    what,
    sender: fc.constantFrom(...senders),
    origin: usually(`http://${asked.host}`, null, 'null', 'https://elsewhere.example', '', `http://${asked.host}/`),
    host: usually(asked.host, ...strangeHosts(asked.host)),
    cookie: usually('', ...strangeCookies),
    oddities: fc.oneof(
      { weight: 5, arbitrary: fc.constant<string[]>([]) },
      fc.array(fc.constantFrom(...oddHeaders), { maxLength: 3 }),
    ),
    network: fc.nat({ max: 2 ** 24 - 1 }),
    framing: usually<Framing>('right', 'chunked', ...wrongFramings),
    cut: fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, fc.nat({ max: 1000 })),
  })
  return fc.oneof(
    { weight: 60, arbitrary: request.map((each) => written(each, asked)) },
    { weight: 1, arbitrary: garbage },
  )
}

// The first is also what a failing request is reduced to.
function usually<T>(value: T, ...others: T[]) {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 12, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
}

const methods = fc.constantFrom(
  ...['POST', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'CONNECT', 'PROPFIND', 'MKCOL'],
  ...['M-SEARCH', 'LINK', 'PURGE', 'MADEUP', 'get', 'P\0ST', ''],
)

function rarelyOther(method: string) {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(method) }, { weight: 1, arbitrary: methods })
}

// ---- addresses

function addresses({ known }: Asked) {
  const id = fc.constantFrom(...new Set([...Object.values(known).flat(), 'week']))
  const collection = fc.constantFrom(
    ...callsOf(known).flatMap(({ path }) => /^\/api\/collections\/([^/]+)$/.exec(path)?.[1] ?? []),
  )
  const strange = fc.constantFrom(...strangeSegments.map(inBytes))
  const parts: Record<string, fc.Arbitrary<string>> = {
    ':id': fc.oneof(id, strange),
    ':Id': fc.oneof(id, strange),
    ':name': fc.oneof({ weight: 4, arbitrary: collection }, strange),
    ':file': fc.oneof(
      id.map((each) => `${each}.ics`),
      strange,
    ),
    ':eventState': fc.oneof(fc.constantFrom('show', 'edit'), strange),
    '*': fc.oneof(fc.constantFrom('callback/google?code=x&state=y', 'get-session', 'sign-in/email'), strange),
  }
  const listed = fc.constantFrom(...routePaths, ...routePaths, ...serverPaths).chain((path) => {
    const segments = path.split('/').map((segment) => parts[segment] ?? fc.constant(segment))
    return fc.tuple(...segments).map((each) => each.join('/'))
  })
  const asData = listed.map((path) => (path === '/' ? '/_.data' : `${path}.data`))
  const almost = fc
    .tuple(listed, fc.nat(), fc.constantFrom('', '/', '%', 'X', '.', '%2f', '?', ' '))
    .map(([path, at, piece]) => {
      const place = at % (path.length + 1)
      return path.slice(0, place) + piece + path.slice(place + 1)
    })
  return fc.oneof(
    { weight: 5, arbitrary: listed },
    { weight: 4, arbitrary: asData },
    { weight: 1, arbitrary: almost },
    { weight: 1, arbitrary: fc.array(strange, { minLength: 1, maxLength: 3 }).map((each) => `/${each.join('/')}`) },
  )
}

function queries(known: Known) {
  const pair = fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...queriesOf(known)) },
      fc.constantFrom(...strangeNames).map((name) => [name, ''] as const),
    ),
    fc.oneof(fc.constant(null), shortValues),
    fc.oneof({ weight: 20, arbitrary: fc.constant(1) }, fc.constantFrom(2, 300)),
  )
  const query = fc.array(pair, { maxLength: 4 }).map((pairs) =>
    pairs
      .flatMap(([[name, value], other, times]) => {
        const one = `${percent(name).slice(0, 2000)}=${percent(other ?? value)}`
        return Array.from({ length: one.length > 40 ? 1 : times }, () => one)
      })
      .join('&'),
  )
  return fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 4, arbitrary: query }, damaged(query))
}

const shortValues = fc.constantFrom(...brokenValues.filter((value) => value.length < 2000))

function joined(path: string, query: string) {
  return query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path
}

function targets(path: fc.Arbitrary<string>, { host }: Asked) {
  const wrapped = fc.tuple(
    path,
    usually<(path: string) => string>(
      (each) => each,
      (each) => `/${each}`,
      (each) => `//elsewhere.example${each}`,
      (each) => `${each}/`,
      (each) => `${each}#part`,
      (each) => `http://${host}${each}`,
      (each) => `http://user:pw@${host}${each}`,
      (each) => `http://elsewhere.example${each}`,
      (each) => `https://${host}${each}`,
      (each) => `http://[::1${each}`,
      (each) => `http:${each}`,
      (each) => `ftp://${host}${each}`,
      (each) => each.slice(1),
      (each) => each.replaceAll('/', '\\'),
      (each) => `/..${each}/../..`,
      (each) => each.toUpperCase(),
      () => '*',
      () => host,
      () => '?',
      () => '',
    ),
  )
  return wrapped.map(([each, wrap]) => wrap(each))
}

// ---- forms

function formRequests(form: Form, asked: Asked) {
  // Without the page around it an answer takes half the time.
  const path = fc.constantFrom(form.path, dataOf(form.path))
  return fc.record({
    method: rarelyOther('POST'),
    target: targets(path, asked),
    body: fc.oneof({ weight: 8, arbitrary: formBodies(form) }, absurdBodies),
  })
}

function dataOf(path: string) {
  const [pathname = '', query] = path.split('?')
  return joined(pathname === '/' ? '/_.data' : `${pathname}.data`, query ?? '')
}

const anyValue = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...brokenValues) },
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const strangePair = fc.oneof(
  fc.tuple(fc.constantFrom(...strangeNames), anyValue),
  fc.tuple(fc.constantFrom('__intent__', '__state__'), fc.constantFrom(...formStates)),
)

// What a browser would send with some of it left out, changed, renamed, repeated; and what no form has.
function pairsOf(fields: Record<string, string>): fc.Arbitrary<Pair[]> {
  const own = Object.entries(fields).map(([name, value]) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 12, arbitrary: fc.constant<Pair[]>([[name, value]]) },
      { weight: 2, arbitrary: anyValue.map((other): Pair[] => [[name, other]]) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Pair[]>(
          [],
          [
            [name, value],
            [name, ''],
          ],
          [[`${name}[0]`, value]],
          [[`${name}.x`, value]],
        ),
      },
    ),
  )
  return fc
    .record({
      own: fc.tuple(...own).map((each) => each.flat()),
      strange: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(strangePair, { maxLength: 3 })),
      repeated: fc.nat(),
      times: fc.oneof({ weight: 60, arbitrary: fc.constant(1) }, fc.constantFrom(2, 2, 300, 5000)),
    })
    .map(({ own, strange, repeated, times }) => {
      const all = [...own, ...strange]
      const one = all[repeated % all.length]
      const fits = !one || one[0].length + one[1].length < 200
      return one && fits ? [...all, ...Array.from({ length: times - 1 }, () => one)] : all
    })
}

function formBodies({ fields }: { fields: Record<string, string> }): fc.Arbitrary<Body> {
  const pairs = pairsOf(fields)
  const encoded = pairs.map((each) => each.map(([name, value]) => `${percent(name)}=${percent(value)}`).join('&'))
  const urlencoded = fc.oneof({ weight: 6, arbitrary: encoded }, damaged(encoded))
  return fc.oneof(
    { weight: 6, arbitrary: urlencoded.map((bytes) => ({ type: 'application/x-www-form-urlencoded', bytes })) },
    { weight: 'imageFile' in fields ? 4 : 1, arbitrary: multipart(pairs) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom(...contentTypes), bytes: urlencoded }) },
    {
      weight: 1,
      arbitrary: pairs.map((each) => ({
        type: 'application/json',
        bytes: inBytes(JSON.stringify(Object.fromEntries(each))),
      })),
    },
  )
}

const EDGE = '----hostile'

function multipart(pairs: fc.Arbitrary<Pair[]>): fc.Arbitrary<Body> {
  const bytes = fc
    .record({
      pairs,
      file: fc.nat(),
      disposition: usually<(name: string, file: string) => string>(
        (name, file) => `content-disposition: form-data; name="${name}"${file}`,
        (name) => `content-disposition: form-data; name=${name}`,
        () => 'content-disposition: form-data',
        () => 'content-disposition: attachment; filename="x"',
        () => 'content-type: text/plain',
        () => '',
        (name) => `content-disposition: form-data; name="${name}\r\nx: y`,
        (name) => `content-disposition: form-data; name="${name}"\r\ncontent-transfer-encoding: base64`,
        (name) => `content-disposition: form-data; name="${name}"\r\n${'x: y\r\n'.repeat(900)}z: 1`,
      ),
      end: usually(`--${EDGE}--\r\n`, '', `--${EDGE}`, `--${EDGE}\r\n`, `--${EDGE}--`),
    })
    .map(({ pairs: given, file, disposition, end }) => {
      const parts = given.map(([name, value], index) => {
        // Every eighth is a file where the form has a text.
        const asFile = file % 8 === index % 8 && file > 0 ? '; filename="a.jpg"\r\ncontent-type: image/jpeg' : ''
        const escaped = inBytes(name).replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
        return `--${EDGE}\r\n${disposition(escaped, asFile)}\r\n\r\n${inBytes(value)}\r\n`
      })
      return parts.join('') + end
    })
  const type = usually(
    `multipart/form-data; boundary=${EDGE}`,
    `multipart/form-data; boundary="${EDGE}"`,
    'multipart/form-data; boundary=other',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data',
    `multipart/form-data; boundary=${'x'.repeat(200)}`,
    `multipart/mixed; boundary=${EDGE}`,
    `multipart/form-data; charset=utf-16; boundary=${EDGE}`,
    `multipart/form-data; boundary=${EDGE}; boundary=other`,
    'multipart/form-data; boundary=\xff',
  )
  return fc.record({ type, bytes: fc.oneof({ weight: 6, arbitrary: bytes }, damaged(bytes)) })
}

const absurdBodies: fc.Arbitrary<Body> = fc.record({
  type: fc.constantFrom(...contentTypes, 'application/x-www-form-urlencoded', `multipart/form-data; boundary=${EDGE}`),
  bytes: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        '',
        '&',
        '=',
        '&&==&',
        '%',
        '%%%',
        '\0',
        '\xff\xfe\xfd',
        '\xed\xa0\x80',
        `--${EDGE}--`,
        `--${EDGE}\r\n\r\n`,
        'GET / HTTP/1.1\r\n\r\n',
      ),
    },
    { weight: 3, arbitrary: fc.constantFrom(...noJson, ...brokenJson).map(inBytes) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('a=1&'.repeat(5000), 'a&'.repeat(50_000), `text=${'%E3%81%82'.repeat(20_000)}`),
    },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000_000 }).map((size) => `text=${'x'.repeat(size)}`) },
    { weight: 1, arbitrary: fc.constantFrom('[', '{"a":', '"\\ud800",', '\xe3').map((piece) => piece.repeat(100_000)) },
  ),
})

// ---- JSON

function callRequests({ method, path, given }: Call, asked: Asked) {
  const upload =
    path === '/api/upload' ? [{ weight: 6, arbitrary: multipart(pairsOf({ image: 'GIF89a', large: '1' })) }] : []
  return fc.record({
    method: rarelyOther(method),
    target: targets(fc.constant(path), asked),
    body: fc.oneof({ weight: 8, arbitrary: jsonBodies(given) }, ...upload, { weight: 1, arbitrary: absurdBodies }),
  })
}

function jsonBodies(given: Record<string, string>): fc.Arbitrary<Body> {
  const value = fc.oneof(
    fc.constantFrom(...brokenJson),
    anyValue.map((each) => JSON.stringify(each)),
  )
  const own = Object.entries(given).map(([name, json]) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 12, arbitrary: fc.constant<Pair[]>([[name, json]]) },
      { weight: 2, arbitrary: value.map((other): Pair[] => [[name, other]]) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Pair[]>(
          [],
          [
            [name, json],
            [name, 'null'],
          ],
        ),
      },
    ),
  )
  const strange = fc.array(fc.tuple(fc.constantFrom(...strangeNames), value), { maxLength: 2 })
  const object = fc
    .tuple(fc.tuple(...own), fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, strange))
    .map(([pairs, others]) =>
      inBytes(`{${[...pairs.flat(), ...others].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`),
    )
  const bytes = fc.oneof(
    { weight: 10, arbitrary: object },
    { weight: 1, arbitrary: damaged(object) },
    { weight: 1, arbitrary: fc.constantFrom(...noJson, ...brokenJson).map(inBytes) },
  )
  return fc.record({ type: usually<string | null>('application/json', ...contentTypes), bytes })
}

// Something is put where it does not belong, or the end is missing.
function damaged(text: fc.Arbitrary<string>) {
  const pieces = [
    '%',
    '%zz',
    '%e3%8',
    '%ff',
    '%00',
    '\0',
    '\xff',
    '\xe3\x81',
    '+',
    '&',
    '=',
    '"',
    '\r\n',
    '--',
    '{',
    null,
  ]
  return fc.tuple(text, fc.nat({ max: 1000 }), fc.constantFrom(...pieces)).map(([whole, at, piece]) => {
    const place = Math.floor((whole.length * at) / 1001)
    return whole.slice(0, place) + (piece === null ? '' : piece + whole.slice(place))
  })
}
