import * as build from 'virtual:react-router/server-build'
import type { Kysely } from 'kysely'
import { matchRoutes } from 'react-router'
import type { Handle } from '../../app/chrome/page-meta.tsx'
import { dayInJapan } from '../../app/dates/japan.ts'
import { type Day, monthAsked } from '../../app/dates/month.ts'
import type { Live } from '../../app/live/announce.server.ts'
import { isOwnPagePath } from '../../app/pages/own-page.ts'
import type { Tables } from '../../db/tables.ts'
import { onCommit } from '../../db/transaction.ts'
import { type TextPage, textPage } from './compress.ts'
import { documentAsOf } from './document.ts'
import { publicPages } from './for-machines.ts'
import { unlessSilent } from './health.ts'

const LIMIT_BYTES = 8 * 1024 * 1024
// One of each page, under several host names.
const MAX_LAST = 40
const MINUTE = 60_000
const FEED = '/calendar.ics'

type Result = { page: TextPage; keep: boolean }
/** Null if the page cannot be shared. */
type Made = Promise<Result | null>
type Asks = { saved: boolean }
/** `page` is set once the page is complete. */
type Entry = { made: Made; page?: TextPage }

/** Cached pages last at most a minute, because some show whether the shop is open. The feed lasts a day. */
export function createPageCache({ db, live, clock }: { db: Kysely<Tables>; live: Live; clock: () => number }) {
  // In LRU order. Pages still being rendered are included, so that concurrent requests share one rendering.
  const pages = new Map<string, Entry>()
  // The last complete version of each page, with its time and the number of changes before its rendering began.
  const lasts = new Map<string, { page: TextPage; changes: number }>()
  let changes = 0
  let minute = 0
  let today = ''
  let bytes = 0

  // A page whose rendering began before a change is no longer in `pages` when done, and is not cached.
  function forgetAll() {
    changes += 1
    pages.clear()
    bytes = 0
  }
  // A commit with topics reaches the listener below.
  onCommit(db, ({ topics }) => {
    if (topics.length === 0) forgetAll()
  })
  live.listen((news) => {
    if ('changed' in news) forgetAll()
  })

  function begin(address: string, make: () => Made) {
    const making = make()
    const entry: Entry = { made: making }
    pages.set(address, entry)
    entry.made = keepMade(address, entry, making)
    return entry.made
  }

  async function keepMade(address: string, entry: Entry, making: Made) {
    const begun = { at: clock(), changes }
    const result = await making.catch((error) => {
      forget(address, entry)
      throw error
    })
    if (result?.keep) keepAsLast(address, result.page, begun)
    if (!result?.keep) forget(address, entry)
    else if (pages.get(address) === entry) {
      entry.page = result.page
      bytes += result.page.bytes
      for (const [oldest, other] of pages) if (bytes > LIMIT_BYTES && isOneOfMany(oldest)) forget(oldest, other)
    }
    return result
  }

  function keepAsLast(address: string, page: TextPage, begun: { at: number; changes: number }) {
    if (!page.isDocument || address.includes('?')) return
    if (page.status !== 200 && isOneOfMany(address)) return
    lasts.delete(address)
    lasts.set(address, { page: asOf(page, begun.at), changes: begun.changes })
    const [oldest = ''] = lasts.keys()
    if (lasts.size > MAX_LAST) lasts.delete(oldest)
  }

  // After a recent save, a visitor must not get an older page.
  function lastFor(address: string, { saved }: Asks) {
    const last = lasts.get(address)
    return last && !(saved && last.changes < changes) ? last.page : undefined
  }

  // Falls back to the last complete page if rendering fails or the database is silent.
  async function orLast(address: string, made: Made, asks: Asks): Made {
    const page = lastFor(address, asks)
    if (!page) return made
    const last = { page, keep: false }
    const whole = made.then(
      (result) => (result && !result.keep ? last : result),
      () => last,
    )
    return unlessSilent(db, whole, last)
  }

  function forget(address: string, entry: Entry) {
    if (pages.get(address) !== entry) return
    pages.delete(address)
    bytes -= entry.page?.bytes ?? 0
  }

  // Only the last used feed stays, because clients may send any number of host names.
  function forgetTheTime() {
    const day = dayInJapan(clock())
    const lasting = day === today ? [...pages.keys()].findLast((address) => address.endsWith(FEED)) : undefined
    for (const [address, entry] of pages) if (address !== lasting) forget(address, entry)
    today = day
  }

  return {
    /** Returns null for unshareable pages, the last complete page if rendering fails or the database is silent. */
    async get(address: string, make: () => Made, asks: Asks) {
      const now = Math.floor(clock() / MINUTE)
      if (now !== minute) forgetTheTime()
      minute = now
      const known = pages.get(address)
      if (!known) return orLast(address, begin(address, make), asks)
      pages.delete(address)
      pages.set(address, known)
      return known.page ? known.made : orLast(address, known.made, asks)
    },
    isCurrent(address: string, page: TextPage) {
      return pages.get(address)?.page === page && Math.floor(clock() / MINUTE) === minute
    },
    last: lastFor,
  }
}

function asOf(page: TextPage, at: number): TextPage {
  let made: TextPage | undefined
  const headers = new Headers(page.headers)
  headers.set('cache-control', 'no-store')
  return {
    ...page,
    headers,
    answer(request) {
      made ??= textPage(documentAsOf(page.text(), at), page.status, headers)
      return made.answer(request)
    },
  }
}

const shown = new Set<string>(['/home', FEED, '/bussinessdays', '/today', '/privacy', ...publicPages])
// Query parameters that create a distinct page, which is not shared.
const readBy: Record<string, string[]> = {
  '/dining': ['edit', 'add'],
  '/calendar': ['event', 'pick'],
  '/bussinessdays': ['by', 'day', 'table'],
  '/today': ['day'],
}
const routes = Object.values(build.routes).flatMap((route) => {
  if (!route?.parentId) return []
  const above = build.routes[route.parentId]?.path
  return [above ? { id: route.id, path: `${above}/${route.path}` } : route]
})

/** Whether clients can request any number of such URLs. */
export function isOneOfMany(address: string) {
  return address.includes('?') || /^\w+:\/\/[^/]+\/p\//.test(address)
}

// Maps a data request of React Router to the path of its page.
function pageOf(pathname: string) {
  return pathname === '/_.data' ? '/' : pathname.replace(/\.data$/, '')
}

// The router sorts all routes on every match.
const routesFound = new Map<string, string>()
const MAX_FOUND = 500

// Returns the route ID of a page; '*' if there is none.
function routeAt(pathname: string) {
  const page = pageOf(pathname)
  const known = routesFound.get(page)
  if (known) return known
  const [match] = matchRoutes(routes, page) ?? []
  const id = match?.route.path === '*' ? '*' : (match?.route.id ?? '*')
  if (routesFound.size === MAX_FOUND) routesFound.clear()
  routesFound.set(page, id)
  return id
}

export function handleAt(pathname: string) {
  return (build.routes[routeAt(pathname)]?.module.handle ?? {}) as Handle
}

/** Returns the URL whose response all visitors without a session share, or null. `today` is the day in Japan. */
export function sharedAddress({ method, url }: Pick<Request, 'method' | 'url'>, origin: string, today: Day) {
  if (method !== 'GET' && method !== 'HEAD') return null
  const { pathname, searchParams } = new URL(url)
  const isData = pathname.endsWith('.data')
  const page = pageOf(pathname)
  if (!shown.has(page) && !isOwnPagePath(page))
    return routeAt(pathname) === '*' ? `${origin}/${isData ? '*.data' : '*'}` : null
  if (readBy[page]?.some((name) => searchParams.has(name))) return null

  const query = new URLSearchParams()
  if (page === '/calendar') {
    const { day, redirected } = monthAsked(searchParams, today)
    if (redirected) return null
    for (const name of day ? ['month', 'day'] : ['month']) {
      const value = searchParams.get(name)
      if (value) query.set(name, value)
    }
  }
  // The routes whose data an open page requests.
  const asked = isData ? searchParams.get('_routes')?.split(',') : undefined
  if (asked) query.set('_routes', ['root', routeAt(pathname)].filter((id) => asked.includes(id)).join())
  return `${origin}${pathname}${query.size > 0 ? `?${query}` : ''}`
}
