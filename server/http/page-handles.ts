import * as build from 'virtual:react-router/server-build'
import { matchRoutes } from 'react-router'
import type { Handle } from '../../app/chrome/page-meta.tsx'

const routes = Object.values(build.routes).flatMap((route) => {
  if (!route?.parentId) return []
  const { id, path = '', index, parentId } = route
  const above = build.routes[parentId]?.path
  return [{ id, path: above ? `${above}/${path}` : path, index, handle: route.module.handle as Handle }]
})
type Route = (typeof routes)[number]

// The router sorts all routes on every match.
const routesFound = new Map<string, Route | undefined>()
const MAX_FOUND = 500

function routeAt(page: string) {
  if (!routesFound.has(page)) {
    if (routesFound.size === MAX_FOUND) routesFound.clear()
    routesFound.set(page, matchRoutes(routes, page)?.[0]?.route)
  }
  return routesFound.get(page)
}

// Maps a data request of React Router to the path of its page.
function pageOf(pathname: string) {
  return pathname === '/_.data' ? '/' : pathname.replace(/\.data$/, '')
}

/** Returns the `handle` that the page of a path declares; empty if there is no page. */
export function handleAt(pathname: string): Partial<Handle> {
  return routeAt(pageOf(pathname))?.handle ?? {}
}

/** The URL whose response all guests share. `isOneOfMany`: clients can request any number of such URLs. */
export type SharedPage = { address: string; isOneOfMany: boolean; lastsADay: boolean }

/** Returns the shared page of a request; null if guests do not share the response. All unknown paths share one page. */
export function sharedPage({ method, url }: Pick<Request, 'method' | 'url'>, origin: string): SharedPage | null {
  const { pathname, searchParams } = new URL(url)
  const isData = pathname.endsWith('.data')
  const page = pageOf(pathname)
  const route = routeAt(page)
  const { cache, parameters = {} } = route?.handle ?? {}
  if ((method !== 'GET' && method !== 'HEAD') || !route || (cache !== 'minute' && cache !== 'day')) return null
  const lastsADay = cache === 'day'
  if (route.path === '*') return { address: `${origin}/*${isData ? '.data' : ''}`, isOneOfMany: false, lastsADay }

  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  // The router ignores case, and decodes paths.
  if (inPath.length === 0 ? page !== `/${route.path}` : inPath.some((name) => parameters[name] !== 'key')) return null
  const query = new URLSearchParams()
  for (const [name, use] of Object.entries(parameters)) {
    const value = searchParams.get(name)
    if (value !== null && use !== 'key') return null
    if (value !== null) query.set(name, value)
  }
  // React Router names the routes whose data an open page requests.
  const asked = isData ? searchParams.get('_routes')?.split(',') : undefined
  if (asked) query.set('_routes', ['root', route.id].filter((id) => asked.includes(id)).join())
  const search = query.size > 0 ? `?${query}` : ''
  return { address: `${origin}${pathname}${search}`, isOneOfMany: search !== '' || inPath.length > 0, lastsADay }
}
