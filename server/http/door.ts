import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import { cookiePrefix } from '../../app/accounts/better-auth.server.ts'
import type { Env } from './asking.ts'
import { preferredEncoding, type TextPage } from './compress.ts'

const MINUTE = 60_000
// For every page in each encoding, and some names under which the site is asked.
const MOST_READY = 200
// In the name of every cookie of ours, also over HTTPS. Who has one may be someone, or have saved something lately.
const OURS = cookiePrefix('')

/** A page as it left for everyone at this address; `isCurrent` until anything changes. */
export type KeptPage = { page: TextPage; isCurrent: () => boolean }

type Ready = KeptPage & { headers: string[]; bytes: Buffer }

/**
 * Kept pages on their way out, before anything is made for a request: what left for the first who asked in these words
 * leaves for each who does after that, byte by byte, while it is kept. The log has their number each minute.
 */
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

  /** Notes an answer that is a kept page's; one with a cookie is somebody's. */
  const remember: MiddlewareHandler<Env> = async (c, next) => {
    await next()
    const { kept } = c.var
    const { headers: asked, url } = c.env?.incoming ?? {}
    if (!kept || !asked || c.req.method !== 'GET' || c.res.status !== kept.page.status) return
    if (c.res.headers.has('set-cookie')) return
    const bytes = await kept.page.bytesFor(asked['accept-encoding'])
    for (const [key, old] of ready) if (ready.size >= MOST_READY || !old.isCurrent()) ready.delete(key)
    ready.set(keyOf({ headers: asked, url }), { ...kept, headers: [...c.res.headers].flat(), bytes })
  }

  /** Answers where what is asked for is ready, or says that it is not, false. */
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

// All of a request that its answer depends on, where no cookie of ours comes with it.
function keyOf({ headers, url }: { headers: IncomingHttpHeaders; url?: string | undefined }) {
  const host = `${headers.host ?? ''} ${headers['x-forwarded-host'] ?? ''}`
  return `${host} ${preferredEncoding(headers['accept-encoding'] ?? '')} ${url}`
}

function withoutBody(headers: string[]) {
  return headers.filter((_, at) => !/^content-(?:encoding|length)$/.test(headers[at - (at % 2)] ?? ''))
}
