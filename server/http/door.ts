import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import { cookiePrefix } from '../../app/accounts/cookies.server.ts'
import type { Env } from './asking.ts'
import { preferredEncoding, type TextPage } from './compress.ts'

const MINUTE = 60_000
// Every page in each encoding, under several host names.
const MAX_READY = 200
// Part of every cookie name of the site, also over HTTPS. Such a cookie marks a session or a recent save.
const OURS = cookiePrefix('')

/** A page sent to all visitors of a URL; `isCurrent` returns false after any change. */
export type KeptPage = { page: TextPage; isCurrent: () => boolean }

type Ready = KeptPage & { headers: string[]; bytes: Buffer }

/** Serves cached pages before a Request is created: byte-by-byte copies of the first response to equal requests. */
export function createDoor(log: Logger) {
  const ready = new Map<string, Ready>()
  let answered = 0

  function note(status: number, { method, url }: IncomingMessage) {
    if (answered === 0) setTimeout(tell, MINUTE).unref()
    answered += 1
    if (log.isLevelEnabled('debug')) log.debug({ method, path: url?.slice(0, 200), status }, 'kept page')
  }

  function tell() {
    log.info({ count: answered }, 'kept pages')
    answered = 0
  }

  /** Stores the response of a cached page; a response with a cookie is personal. */
  const remember: MiddlewareHandler<Env> = async (c, next) => {
    await next()
    const { kept } = c.var
    const { headers: asked, url } = c.env?.incoming ?? {}
    if (!kept || !asked || c.req.method !== 'GET' || c.res.status !== kept.page.status) return
    if (c.res.headers.has('set-cookie')) return
    const bytes = await kept.page.bytesFor(asked['accept-encoding'])
    for (const [key, old] of ready) if (ready.size >= MAX_READY || !old.isCurrent()) ready.delete(key)
    ready.set(keyOf({ headers: asked, url }), { ...kept, headers: [...c.res.headers].flat(), bytes })
  }

  function answer(request: IncomingMessage, response: ServerResponse) {
    const { method, headers } = request
    if (method !== 'GET' || headers.cookie?.includes(OURS)) return false
    const found = ready.get(keyOf(request))
    if (!found?.isCurrent()) return false
    const { page, bytes } = found
    if (page.isKnownTo(headers['if-none-match'])) response.writeHead(304, withoutBody(found.headers)).end()
    else response.writeHead(page.status, found.headers).end(bytes)
    note(response.statusCode, request)
    return true
  }

  return { remember, answer }
}

// All request parts that a response depends on if no cookie of the site is present.
function keyOf({ headers, url }: { headers: IncomingHttpHeaders; url?: string | undefined }) {
  const host = `${headers.host ?? ''} ${headers['x-forwarded-host'] ?? ''}`
  return `${host} ${preferredEncoding(headers['accept-encoding'] ?? '')} ${url}`
}

function withoutBody(headers: string[]) {
  return headers.filter((_, at) => !/^content-(?:encoding|length)$/.test(headers[at - (at % 2)] ?? ''))
}
