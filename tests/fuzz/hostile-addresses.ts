import type { RouteConfigEntry } from '@react-router/dev/routes'
import fc from 'fast-check'
import routes from '../../app/routes.ts'
import { logoImages } from '../../app/settings/logo-image.ts'
import { callsOf, type Known, queriesOf } from './hostile-forms.ts'
import { brokenValues, strangeNames, strangeSegments } from './hostile-values.ts'
import { corruptText, mostly } from './mutations.ts'
import { percentEncode, type Target, toByteString } from './request-bytes.ts'

/** Route patterns of server/app.ts. */
export const serverPaths = [
  '/livez',
  '/readyz',
  '/api/health',
  '/metrics',
  '/api/live',
  '/api/openapi.json',
  '/assets/*',
  '/art/*',
  '/pictures/:file',
  '/fonts/heading.woff2',
  '/seal/:digest/:file',
  '/favicon.ico',
  '/robots.txt',
  '/sitemap.xml',
  '/manifest.webmanifest',
  '/push-worker.js',
  '/q/dining',
  '/api/mail',
  '/api/delete',
  '/api/upload',
  '/api/collections/:name',
  '/api/collections/:name/*',
  '/api/collections/:name/:id',
  '/api/auth/callback/google',
  '/api/*',
  '/login/google',
  '/backup/file',
]

/** Route patterns of app/routes.ts. */
export const routePaths = pathsIn(routes)

function pathsIn(entries: RouteConfigEntry[], parent = ''): string[] {
  return entries.flatMap(({ path = '', children = [] }) => [
    `${parent}/${path}`,
    ...pathsIn(children, `${parent}/${path}`),
  ])
}

/** Generates paths that exist, almost exist, or do not exist. */
export function paths({ known }: Target) {
  const id = fc.constantFrom(...new Set([...Object.values(known).flat(), 'week', 'dining']))
  const collection = fc.constantFrom(
    ...callsOf(known).flatMap(({ path }) => /^\/api\/collections\/([^/]+)$/.exec(path)?.[1] ?? []),
  )
  const strange = fc.constantFrom(...strangeSegments.map(toByteString))
  const parts: Record<string, fc.Arbitrary<string>> = {
    ':id': fc.oneof(id, strange),
    ':Id': fc.oneof(id, strange),
    ':name': fc.oneof({ weight: 4, arbitrary: collection }, strange),
    ':file': fc.oneof(
      id.map((each) => `${each}.ics`),
      fc.constantFrom(...logoImages),
      strange,
    ),
    ':digest': fc.oneof(fc.constant('0123456789abcdef'), strange),
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
      const position = at % (path.length + 1)
      return path.slice(0, position) + piece + path.slice(position + 1)
    })
  return fc.oneof(
    { weight: 5, arbitrary: listed },
    { weight: 4, arbitrary: asData },
    { weight: 1, arbitrary: almost },
    { weight: 1, arbitrary: fc.array(strange, { minLength: 1, maxLength: 3 }).map((each) => `/${each.join('/')}`) },
  )
}

/** Generates queries with known and unknown parameters, each with valid and invalid values. */
export function queries(known: Known) {
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
        const one = `${percentEncode(name).slice(0, 2000)}=${percentEncode(other ?? value)}`
        return Array.from({ length: one.length > 40 ? 1 : times }, () => one)
      })
      .join('&'),
  )
  return fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 4, arbitrary: query }, corruptText(query))
}

const shortValues = fc.constantFrom(...brokenValues.filter((value) => value.length < 2000))

/** Appends the query to the path unless the query is empty. */
export function joinQuery(path: string, query: string) {
  return query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path
}

/** Generates the request target of the request line, sometimes in a form that no browser sends. */
export function requestTargets(path: fc.Arbitrary<string>, { host }: Target) {
  const wrapped = fc.tuple(
    path,
    mostly<(path: string) => string>(
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
