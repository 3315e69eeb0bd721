import fc from 'fast-check'
import { joinQuery, paths, queries, requestTargets } from './hostile-addresses.ts'
import { absurdBodies, formBodies, jsonBodies, multipart, pairsOf } from './hostile-bodies.ts'
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
import { mostly } from './mutations.ts'
import {
  type Body,
  type Framing,
  garbage,
  type Hostile,
  pipelined,
  type Sender,
  serializeRequest,
  type Target,
  wrongFramings,
} from './request-bytes.ts'

/**
 * Generates valid, malformed and very large requests. The site must respond with a status below 500. If a request is
 * malformed, the site may close the connection instead.
 */
export function hostileRequests(target: Target, senders: Sender[]): fc.Arbitrary<Hostile> {
  const path = paths(target)
  const queried = fc.tuple(path, queries(target.known)).map(([path, query]) => joinQuery(path, query))
  const form = fc.constantFrom(...formsOf(target.known))
  const call = fc.constantFrom(...callsOf(target.known))
  const body = fc.oneof(
    form.chain(formBodies),
    call.chain(({ fields }) => jsonBodies(fields)),
    absurdBodies,
  )
  const nothing = fc.constant<Body>({ type: null, bytes: '' })
  const names = queriesOf(target.known).map(([name]) => name)
  const longTarget = fc.oneof(
    longPaths(path),
    fc.tuple(path, longQueries(names)).map(([path, query]) => joinQuery(path, query)),
  )

  const message = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ method: rarelyOther('GET'), target: requestTargets(queried, target), body: nothing }),
    },
    { weight: 9, arbitrary: form.chain((each) => formRequests(each, target)) },
    { weight: 6, arbitrary: call.chain((each) => callRequests(each, target)) },
    { weight: 3, arbitrary: fc.record({ method: methods, target: requestTargets(queried, target), body }) },
    { weight: 2, arbitrary: fc.record({ method: rarelyOther('GET'), target: longTarget, body: nothing }) },
  )
  const pieces = fc.record({
    message,
    sender: fc.constantFrom(...senders),
    origin: mostly(`http://${target.host}`, null, 'null', 'https://elsewhere.example', '', `http://${target.host}/`),
    host: mostly(target.host, ...strangeHosts(target.host)),
    cookie: fc.oneof({ weight: 20, arbitrary: mostly('', ...strangeCookies) }, longCookies),
    oddities: fc.oneof(
      { weight: 10, arbitrary: fc.constant<string[]>([]) },
      { weight: 2, arbitrary: fc.array(fc.constantFrom(...oddHeaders), { maxLength: 3 }) },
      { weight: 1, arbitrary: longHeaders.map((header) => [header]) },
    ),
    network: fc.nat({ max: 2 ** 24 - 1 }),
    framing: mostly<Framing>('right', 'chunked', 'many chunks', ...wrongFramings),
    cut: fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, fc.nat({ max: 1000 })),
  })
  const request = pieces.map((each) => serializeRequest(each, target))
  return fc.oneof(
    { weight: 120, arbitrary: request },
    { weight: 1, arbitrary: request.map(pipelined) },
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

function formRequests(form: Form, target: Target) {
  // A data request renders no page and takes half the time.
  const path = fc.constantFrom(form.path, dataOf(form.path))
  return fc.record({
    method: rarelyOther('POST'),
    target: requestTargets(path, target),
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
  return joinQuery(pathname === '/' ? '/_.data' : `${pathname}.data`, query ?? '')
}

function callRequests({ method, path, fields }: Call, target: Target) {
  const upload =
    path === '/api/upload'
      ? [
          { weight: 12, arbitrary: multipart(pairsOf({ image: 'GIF89a', large: '1' })) },
          { weight: 2, arbitrary: longMultiparts },
        ]
      : []
  return fc.record({
    method: rarelyOther(method),
    target: requestTargets(fc.constant(path), target),
    body: fc.oneof(
      { weight: 16, arbitrary: jsonBodies(fields) },
      ...upload,
      { weight: 2, arbitrary: absurdBodies },
      { weight: 2, arbitrary: longJson(fields) },
    ),
  })
}
