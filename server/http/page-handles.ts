import * as build from 'virtual:react-router/server-build'
import { LRUCache } from 'lru-cache'
import { matchRoutes } from 'react-router'
import type { Handle } from '../../app/chrome/page-meta.tsx'
import { languageAt } from '../../app/languages/languages.server.ts'

const routes = Object.values(build.routes).flatMap((route) => {
  if (!route?.parentId) return []
  const { id, path = '', index, parentId } = route
  const parentPath = build.routes[parentId]?.path
  return [{ id, path: parentPath ? `${parentPath}/${path}` : path, index, handle: route.module.handle as Handle }]
})

// The matches are cached, because the router sorts all routes for every match.
const matchCache = new LRUCache({ max: 500, memoMethod: (page: string) => matchRoutes(routes, page) ?? [] })

function routeAt(page: string) {
  return matchCache.memo(page)[0]?.route
}

function pageOf(pathname: string) {
  return pathname === '/_.data' ? '/' : pathname.replace(/\.data$/, '')
}

/** Returns the path of the Japanese page. */
export function withoutLanguage(pathname: string) {
  const code = languageAt(pathname)?.code
  const path = code ? pathname.slice(code.length + 1) : pathname
  return path === '.data' ? '/_.data' : path || '/'
}

/** Returns the handle of a page in any language. */
export function handleAt(pathname: string): Partial<Handle> {
  return routeAt(pageOf(withoutLanguage(pathname)))?.handle ?? {}
}

// The one label of all paths without a route, because each label is stored as a series of its own.
export const UNKNOWN_ROUTE = 'unknown'

/** Returns the pattern of a page's route without the prefix of its language. */
export function routePatternAt(pathname: string) {
  const path = routeAt(pageOf(withoutLanguage(pathname)))?.path ?? '*'
  return path === '*' ? UNKNOWN_ROUTE : `/${path}`
}

/** Page that guests share. `isOneOfMany` is true if clients can request any number of similar URLs. */
export type SharedPage = { url: string; isOneOfMany: boolean; isDaily: boolean }

/**
 * Returns the page of a request if its response is the same for all guests, otherwise null. All unknown paths count as
 * one page. `prefix` is the prefix of the page's language, such as `/en`.
 */
export function sharedPage(
  { method, url }: Pick<Request, 'method' | 'url'>,
  origin: string,
  prefix = '',
): SharedPage | null {
  const { pathname: wholePath, searchParams } = new URL(url)
  const pathname = prefix ? withoutLanguage(wholePath) : wholePath
  const isData = pathname.endsWith('.data')
  const page = pageOf(pathname)
  const route = routeAt(page)
  const { cache, parameters = {} } = route?.handle ?? {}
  if ((method !== 'GET' && method !== 'HEAD') || !route || (cache !== 'minute' && cache !== 'day')) return null
  const isDaily = cache === 'day'
  if (route.path === '*') return { url: `${origin}${prefix}/*${isData ? '.data' : ''}`, isOneOfMany: false, isDaily }

  const pathParameters = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  // The router ignores case and decodes paths, but guests share only the page at the exact path.
  if (
    pathParameters.length === 0 ? page !== `/${route.path}` : pathParameters.some((name) => parameters[name] !== 'key')
  )
    return null
  const query = new URLSearchParams()
  for (const [name, use] of Object.entries(parameters)) {
    const value = searchParams.get(name)
    if (value !== null && use !== 'key') return null
    if (value !== null) query.set(name, value)
  }
  // In `_routes`, React Router sends the names of the routes whose data an open page requests.
  const requestedRoutes = isData ? searchParams.get('_routes')?.split(',') : undefined
  if (requestedRoutes) query.set('_routes', ['root', route.id].filter((id) => requestedRoutes.includes(id)).join())
  const search = query.size > 0 ? `?${query}` : ''
  return { url: `${origin}${wholePath}${search}`, isOneOfMany: search !== '' || pathParameters.length > 0, isDaily }
}
