import fc from 'fast-check'
import { addresses, joined, queries, targets } from './hostile-addresses.ts'
import { absurdBodies, formBodies, jsonBodies, multipart, pairsOf } from './hostile-bodies.ts'
import {
  type Asked,
  type Body,
  type Framing,
  garbage,
  type Hostile,
  pipelined,
  type Sender,
  written,
  wrongFramings,
} from './request-bytes.ts'
import { usually } from './mutations.ts'
import { type Call, callsOf, type Form, formsOf, queriesOf } from './hostile-forms.ts'
import {
  longCookies,
  longForms,
  longHeaders,
  longJson,
  longMultiparts,
  longPaths,
  longQueries,
} from './hostile-runs.ts'
import { oddHeaders, strangeCookies, strangeHosts } from './hostile-values.ts'

/**
 * Generates requests of every kind. The site must answer each with a status below 500, or may close the connection if
 * the request is malformed.
 */
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
  const names = queriesOf(asked.known).map(([name]) => name)
  const longTarget = fc.oneof(
    longPaths(address),
    fc.tuple(address, longQueries(names)).map(([path, query]) => joined(path, query)),
  )

  const what = fc.oneof(
    { weight: 6, arbitrary: fc.record({ method: rarelyOther('GET'), target: targets(queried, asked), body: nothing }) },
    { weight: 9, arbitrary: form.chain((each) => formRequests(each, asked)) },
    { weight: 6, arbitrary: call.chain((each) => callRequests(each, asked)) },
    { weight: 3, arbitrary: fc.record({ method: methods, target: targets(queried, asked), body }) },
    { weight: 2, arbitrary: fc.record({ method: rarelyOther('GET'), target: longTarget, body: nothing }) },
  )
  const request = fc.record({
    what,
    sender: fc.constantFrom(...senders),
    origin: usually(`http://${asked.host}`, null, 'null', 'https://elsewhere.example', '', `http://${asked.host}/`),
    host: usually(asked.host, ...strangeHosts(asked.host)),
    cookie: fc.oneof({ weight: 20, arbitrary: usually('', ...strangeCookies) }, longCookies),
    oddities: fc.oneof(
      { weight: 10, arbitrary: fc.constant<string[]>([]) },
      { weight: 2, arbitrary: fc.array(fc.constantFrom(...oddHeaders), { maxLength: 3 }) },
      { weight: 1, arbitrary: longHeaders.map((header) => [header]) },
    ),
    network: fc.nat({ max: 2 ** 24 - 1 }),
    framing: usually<Framing>('right', 'chunked', 'many chunks', ...wrongFramings),
    cut: fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, fc.nat({ max: 1000 })),
  })
  const one = request.map((each) => written(each, asked))
  return fc.oneof(
    { weight: 120, arbitrary: one },
    { weight: 1, arbitrary: one.map(pipelined) },
    { weight: 2, arbitrary: garbage },
  )
}

const methods = fc.constantFrom(
  ...['POST', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'CONNECT', 'PROPFIND', 'MKCOL'],
  ...['M-SEARCH', 'LINK', 'PURGE', 'MADEUP', 'get', 'P\0ST', ''],
)

function rarelyOther(method: string) {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(method) }, { weight: 1, arbitrary: methods })
}

function formRequests(form: Form, asked: Asked) {
  // A data response without the page takes half the time.
  const path = fc.constantFrom(form.path, dataOf(form.path))
  return fc.record({
    method: rarelyOther('POST'),
    target: targets(path, asked),
    body: fc.oneof(
      { weight: 16, arbitrary: formBodies(form) },
      { weight: 2, arbitrary: absurdBodies },
      { weight: 2, arbitrary: longForms(form) },
      { weight: 1, arbitrary: longMultiparts },
    ),
  })
}

function dataOf(path: string) {
  const [pathname = '', query] = path.split('?')
  return joined(pathname === '/' ? '/_.data' : `${pathname}.data`, query ?? '')
}

function callRequests({ method, path, given }: Call, asked: Asked) {
  const upload =
    path === '/api/upload'
      ? [
          { weight: 12, arbitrary: multipart(pairsOf({ image: 'GIF89a', large: '1' })) },
          { weight: 2, arbitrary: longMultiparts },
        ]
      : []
  return fc.record({
    method: rarelyOther(method),
    target: targets(fc.constant(path), asked),
    body: fc.oneof(
      { weight: 16, arbitrary: jsonBodies(given) },
      ...upload,
      { weight: 2, arbitrary: absurdBodies },
      { weight: 2, arbitrary: longJson(given) },
    ),
  })
}
