import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { LRUCache } from 'lru-cache'
import { cookiePrefix } from '../../app/accounts/cookies.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { onCommit } from '../../db/transaction.ts'
import { preferredEncoding, type TextPage, textPage } from './compress.ts'
import { documentAsOf } from './document.ts'
import { withOutageFallback } from './health.ts'
import { routePatternAt, type SharedPage } from './page-handles.ts'
import type { Env, SiteDependencies } from './request-dependencies.ts'

const MAX_BYTES = 8 * 1024 * 1024
const MAX_LAST_PAGES = 40
// Enough for several query strings of each page, as in the links of a newsletter.
const MAX_REQUEST_KEYS = 500
const MINUTE = 60_000
// Part of every cookie name of the site, also over HTTPS. A cookie with this prefix belongs to a session or a recent
// save.
const COOKIE_PREFIX = cookiePrefix('')

/** Rendered page, or null if guests cannot share the page. `keep` is false after a failed read. */
type Rendering = Promise<{ page: TextPage; keep: boolean } | null>
type Entry = SharedPage & { rendering: Rendering; page?: TextPage; responses: Map<string, Sent> }
type Sent = { headers: string[]; bytes: Buffer }
type Visit = { saved: boolean }
type PageCacheDependencies = Pick<SiteDependencies, 'db' | 'live' | 'clock' | 'log' | 'metrics' | 'databaseTimeouts'>

/** Cache of pages for guests. Data changes and new minutes clear the cache, because pages show if the shop is open. */
export class PageCache {
  readonly #deps: Omit<PageCacheDependencies, 'live'>
  // Pages in LRU order, including pages that are being rendered.
  readonly #pages = new Map<string, Entry>()
  // The last complete version of each page, for outages, and the change count at the start of its rendering.
  readonly #lastPages = new LRUCache<string, { page: TextPage; changes: number }>({ max: MAX_LAST_PAGES })
  readonly #sharedUrls = new LRUCache<string, string>({ max: MAX_REQUEST_KEYS })
  #changes = 0
  #minute = 0
  #today = ''
  #served = 0

  constructor({ live, ...deps }: PageCacheDependencies) {
    this.#deps = deps
    // Handles only commits without topics. A commit with topics reaches the listener below.
    onCommit(deps.db, ({ topics }) => {
      if (topics.length === 0) this.#dropAll()
    })
    live.subscribe((event) => {
      if ('changed' in event) this.#dropAll()
    })
  }

  /**
   * Returns the cached or a newly rendered page, or its last complete version during an outage. Returns null if guests
   * cannot share the page.
   */
  async get(shared: SharedPage, render: () => Rendering, visit: Visit) {
    const known = this.#current(shared.url)
    this.#deps.metrics?.countCacheLookup(known ? 'hit' : 'miss')
    const entry: Entry = known ?? { ...shared, rendering: render(), responses: new Map() }
    this.#pages.delete(shared.url)
    this.#pages.set(shared.url, entry)
    if (!known) entry.rendering = this.#finish(entry, entry.rendering)
    return entry.page ? entry.rendering : this.#withLastPage(shared, entry.rendering, visit)
  }

  /**
   * Returns the last complete version of a page. After a visitor's recent save, returns only a version that contains
   * the save.
   */
  last({ url }: SharedPage, { saved }: Visit) {
    const lastPage = this.#lastPages.get(url)
    return lastPage && !(saved && lastPage.changes < this.#changes) ? lastPage.page : undefined
  }

  // A response with a cookie is personal. If Cache-Control differs from that of the page, the query contains a secret.
  readonly remember: MiddlewareHandler<Env> = async (c, next) => {
    await next()
    const { cached } = c.var
    const { headers: requestHeaders, url: target } = c.env?.incoming ?? {}
    const { status, headers } = c.res
    if (!cached || !requestHeaders || c.req.method !== 'GET' || status !== cached.page.status) return
    if (headers.has('set-cookie') || headers.get('cache-control') !== cached.page.headers.get('cache-control')) return
    const bytes = await cached.page.bytesFor(requestHeaders['accept-encoding'])
    const entry = this.#pages.get(cached.url)
    if (entry?.page !== cached.page) return
    entry.responses.set(encodingOf(requestHeaders), { headers: [...headers].flat(), bytes })
    this.#sharedUrls.set(requestKeyOf({ headers: requestHeaders, url: target }), cached.url)
  }

  readonly serve = (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now()
    const { method, headers } = request
    if (method !== 'GET' || headers.cookie?.includes(COOKIE_PREFIX)) return false
    const url = this.#sharedUrls.get(requestKeyOf(request))
    const entry = url === undefined ? undefined : this.#current(url)
    const sent = entry?.responses.get(encodingOf(headers))
    if (!entry?.page || !sent) return false
    if (entry.page.matchesEtag(headers['if-none-match'])) response.writeHead(304, withoutBody(sent.headers)).end()
    else response.writeHead(entry.page.status, sent.headers).end(sent.bytes)
    this.#logServed(request, response.statusCode)
    this.#countServed(request, response.statusCode, performance.now() - startedAt)
    return true
  }

  // Also removes pages that are being rendered, so that their outdated rendering is not cached.
  #dropAll() {
    this.#changes += 1
    this.#pages.clear()
  }

  // Only the feed that was used last stays cached, because clients may send any number of host names.
  #dropMinute() {
    const day = dayInJapan(this.#deps.clock())
    const dailyFeed = day === this.#today ? [...this.#pages.values()].findLast(({ isDaily }) => isDaily) : undefined
    this.#pages.clear()
    if (dailyFeed) this.#pages.set(dailyFeed.url, dailyFeed)
    this.#today = day
  }

  #current(url: string) {
    const now = Math.floor(this.#deps.clock() / MINUTE)
    if (now !== this.#minute) this.#dropMinute()
    this.#minute = now
    return this.#pages.get(url)
  }

  async #finish(entry: Entry, rendering: Rendering) {
    const start = { renderedAt: this.#deps.clock(), changes: this.#changes }
    const result = await rendering.catch((error) => {
      this.#drop(entry)
      throw error
    })
    if (!result?.keep) this.#drop(entry)
    else this.#storeLastPage(entry, result.page, start)
    if (!result || this.#pages.get(entry.url) !== entry) return result
    entry.page = result.page
    this.#dropUntilFits()
    return result
  }

  #drop(entry: Entry) {
    if (this.#pages.get(entry.url) === entry) this.#pages.delete(entry.url)
  }

  // Drops only pages with `isOneOfMany`, so that the pages of the navigation stay cached.
  #dropUntilFits() {
    let bytes = 0
    for (const { page } of this.#pages.values()) bytes += page?.bytes ?? 0
    for (const { url, page, isOneOfMany } of this.#pages.values()) {
      if (bytes <= MAX_BYTES) return
      if (!page || !isOneOfMany) continue
      this.#pages.delete(url)
      bytes -= page.bytes
    }
  }

  #storeLastPage({ url, isOneOfMany }: SharedPage, page: TextPage, start: { renderedAt: number; changes: number }) {
    if (!page.isDocument || url.includes('?') || (page.status !== 200 && isOneOfMany)) return
    this.#lastPages.set(url, { page: withTimeNotice(page, start.renderedAt), changes: start.changes })
  }

  async #withLastPage(shared: SharedPage, rendering: Rendering, visit: Visit): Rendering {
    const page = this.last(shared, visit)
    if (!page) return rendering
    const fallback = { page, keep: false }
    const complete = rendering.then(
      (result) => (result && !result.keep ? fallback : result),
      () => fallback,
    )
    return withOutageFallback(this.#deps, complete, fallback)
  }

  #countServed({ url = '' }: IncomingMessage, status: number, ms: number) {
    const { metrics } = this.#deps
    if (!metrics) return
    metrics.countCacheLookup('hit')
    const route = routePatternAt(url.replace(/\?.*/, ''))
    metrics.countResponse({ route, method: 'GET', status, seconds: ms / 1000 })
  }

  // Logs one line a minute, because a line for each response would cost more than the response itself.
  #logServed({ method, url }: IncomingMessage, status: number) {
    const { log } = this.#deps
    this.#served += 1
    if (log.isLevelEnabled('debug')) log.debug({ method, path: url?.slice(0, 200), status }, 'cached page sent')
    if (this.#served > 1) return
    const report = () => {
      log.info({ count: this.#served }, 'cached pages sent')
      this.#served = 0
    }
    setTimeout(report, MINUTE).unref()
  }
}

// This key is valid only for requests without a cookie of the site.
function requestKeyOf({ headers, url }: { headers: IncomingHttpHeaders; url?: string | undefined }) {
  return `${headers.host ?? ''} ${headers['x-forwarded-host'] ?? ''} ${url}`
}

function encodingOf(headers: IncomingHttpHeaders) {
  return preferredEncoding(headers['accept-encoding'] ?? '') ?? 'identity'
}

function withoutBody(headers: string[]) {
  return headers.filter((_, index) => !/^content-(?:encoding|length)$/.test(headers[index - (index % 2)] ?? ''))
}

function withTimeNotice(page: TextPage, renderedAt: number): TextPage {
  let responseWithNotice: TextPage | undefined
  const headers = new Headers(page.headers)
  headers.set('cache-control', 'no-store')
  return {
    ...page,
    headers,
    respond(request) {
      responseWithNotice ??= textPage(documentAsOf(page.text(), renderedAt), page.status, headers)
      return responseWithNotice.respond(request)
    },
  }
}
