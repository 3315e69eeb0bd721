import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { cookiePrefix } from '../../app/accounts/cookies.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { onCommit } from '../../db/transaction.ts'
import type { Env, World } from './asking.ts'
import { preferredEncoding, type TextPage, textPage } from './compress.ts'
import { documentAsOf } from './document.ts'
import { unlessSilent } from './health.ts'
import type { SharedPage } from './page-handles.ts'

const MAX_BYTES = 8 * 1024 * 1024
// One of each page, under several host names.
const MAX_LAST = 40
// Every page in each spelling that visitors follow, as from a newsletter.
const MAX_SPELLINGS = 500
const MINUTE = 60_000
// Part of every cookie name of the site, also over HTTPS. Such a cookie marks a session or a recent save.
const OURS = cookiePrefix('')

/** `keep` is false for a page that lacks data after a failed read. Null if the page cannot be shared. */
type Rendering = Promise<{ page: TextPage; keep: boolean } | null>
/** `page` is set once the page is complete. `responses` are those already sent, by encoding. */
type Entry = SharedPage & { rendering: Rendering; page?: TextPage; responses: Map<string, Sent> }
type Sent = { headers: string[]; bytes: Buffer }
type Visit = { saved: boolean }

/**
 * The responses that all guests share, by the address of `SharedPage`. `get` renders a page, once for concurrent
 * requests. `remember` stores the complete response. `serve` sends it again before a Request is created.
 *
 * Any change of the data drops all pages. A minute drops them too, because some show whether the shop is open; the
 * calendar feed lasts a day.
 */
export function createPageCache({ db, live, clock, log }: Pick<World, 'db' | 'live' | 'clock' | 'log'>) {
  // In LRU order, with the pages that are being rendered.
  const pages = new Map<string, Entry>()
  // The last complete version of each page, for outages, with the number of changes before its rendering began.
  const lasts = new Map<string, { page: TextPage; changes: number }>()
  // The address of each request line and host already answered.
  const addresses = new Map<string, string>()
  let changes = 0
  let minute = 0
  let today = ''
  let served = 0

  // A page whose rendering began before a change is no longer in `pages` when done, and is not cached.
  function dropAll() {
    changes += 1
    pages.clear()
  }
  // A commit with topics reaches the listener below.
  onCommit(db, ({ topics }) => {
    if (topics.length === 0) dropAll()
  })
  live.listen((news) => {
    if ('changed' in news) dropAll()
  })

  // Only the last used feed stays, because clients may send any number of host names.
  function dropMinute() {
    const day = dayInJapan(clock())
    const lasting = day === today ? [...pages.values()].findLast(({ lastsADay }) => lastsADay) : undefined
    pages.clear()
    if (lasting) pages.set(lasting.address, lasting)
    today = day
  }

  function current(address: string) {
    const now = Math.floor(clock() / MINUTE)
    if (now !== minute) dropMinute()
    minute = now
    return pages.get(address)
  }

  /** Returns null for unshareable pages, the last complete page if rendering fails or the database is silent. */
  async function get(shared: SharedPage, render: () => Rendering, visit: Visit) {
    const known = current(shared.address)
    const entry: Entry = known ?? { ...shared, rendering: render(), responses: new Map() }
    pages.delete(shared.address)
    pages.set(shared.address, entry)
    if (!known) entry.rendering = finish(entry, entry.rendering)
    return entry.page ? entry.rendering : orLast(shared, entry.rendering, visit)
  }

  async function finish(entry: Entry, rendering: Rendering) {
    const begun = { at: clock(), changes }
    const result = await rendering.catch((error) => {
      drop(entry)
      throw error
    })
    if (!result?.keep) drop(entry)
    else keepAsLast(entry, result.page, begun)
    if (!result || pages.get(entry.address) !== entry) return result
    entry.page = result.page
    makeRoom()
    return result
  }

  function drop(entry: Entry) {
    if (pages.get(entry.address) === entry) pages.delete(entry.address)
  }

  // Drops the oldest pages that clients can request in any number; the pages of the menu stay.
  function makeRoom() {
    let bytes = 0
    for (const { page } of pages.values()) bytes += page?.bytes ?? 0
    for (const { address, page, isOneOfMany } of pages.values()) {
      if (bytes <= MAX_BYTES) return
      if (!page || !isOneOfMany) continue
      pages.delete(address)
      bytes -= page.bytes
    }
  }

  function keepAsLast(shared: SharedPage, page: TextPage, begun: { at: number; changes: number }) {
    const { address, isOneOfMany } = shared
    if (!page.isDocument || address.includes('?') || (page.status !== 200 && isOneOfMany)) return
    replace(lasts, address, { page: asOf(page, begun.at), changes: begun.changes }, MAX_LAST)
  }

  // After a recent save, a visitor must not get an older page.
  function last({ address }: SharedPage, { saved }: Visit) {
    const kept = lasts.get(address)
    return kept && !(saved && kept.changes < changes) ? kept.page : undefined
  }

  async function orLast(shared: SharedPage, rendering: Rendering, visit: Visit): Rendering {
    const page = last(shared, visit)
    if (!page) return rendering
    const otherwise = { page, keep: false }
    const whole = rendering.then(
      (result) => (result && !result.keep ? otherwise : result),
      () => otherwise,
    )
    return unlessSilent(db, whole, otherwise)
  }

  // A response with a cookie is personal. One with other rules for caches has a secret in its query.
  const remember: MiddlewareHandler<Env> = async (c, next) => {
    await next()
    const { cached } = c.var
    const { headers: asked, url } = c.env?.incoming ?? {}
    const { status, headers } = c.res
    if (!cached || !asked || c.req.method !== 'GET' || status !== cached.page.status) return
    if (headers.has('set-cookie') || headers.get('cache-control') !== cached.page.headers.get('cache-control')) return
    const bytes = await cached.page.bytesFor(asked['accept-encoding'])
    const entry = pages.get(cached.address)
    if (entry?.page !== cached.page) return
    entry.responses.set(encodingOf(asked), { headers: [...headers].flat(), bytes })
    replace(addresses, spellingOf({ headers: asked, url }), cached.address, MAX_SPELLINGS)
  }

  /** Returns false if the request must be handled by the router. */
  function serve(request: IncomingMessage, response: ServerResponse) {
    const { method, headers } = request
    if (method !== 'GET' || headers.cookie?.includes(OURS)) return false
    const address = addresses.get(spellingOf(request))
    const entry = address === undefined ? undefined : current(address)
    const sent = entry?.responses.get(encodingOf(headers))
    if (!entry?.page || !sent) return false
    if (entry.page.isKnownTo(headers['if-none-match'])) response.writeHead(304, withoutBody(sent.headers)).end()
    else response.writeHead(entry.page.status, sent.headers).end(sent.bytes)
    note(request, response.statusCode)
    return true
  }

  // One line a minute, because a line for each would cost more than the response.
  function note({ method, url }: IncomingMessage, status: number) {
    served += 1
    if (log.isLevelEnabled('debug')) log.debug({ method, path: url?.slice(0, 200), status }, 'kept page')
    if (served > 1) return
    const report = () => {
      log.info({ count: served }, 'kept pages')
      served = 0
    }
    setTimeout(report, MINUTE).unref()
  }

  return { get, last, remember, serve }
}

/** Sets the newest entry of a map, and deletes the oldest beyond `most`. */
function replace<T>(map: Map<string, T>, key: string, value: T, most: number) {
  map.delete(key)
  map.set(key, value)
  const [oldest = ''] = map.keys()
  if (map.size > most) map.delete(oldest)
}

// All request parts that an address depends on if no cookie of the site is present.
function spellingOf({ headers, url }: { headers: IncomingHttpHeaders; url?: string | undefined }) {
  return `${headers.host ?? ''} ${headers['x-forwarded-host'] ?? ''} ${url}`
}

function encodingOf(headers: IncomingHttpHeaders) {
  return preferredEncoding(headers['accept-encoding'] ?? '') ?? 'identity'
}

function withoutBody(headers: string[]) {
  return headers.filter((_, at) => !/^content-(?:encoding|length)$/.test(headers[at - (at % 2)] ?? ''))
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
