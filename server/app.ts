import { readFileSync } from 'node:fs'
import { serveStatic } from '@hono/node-server/serve-static'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { createApiTokenLimit, recordApiTokenUse } from '../app/accounts/api-tokens.server.ts'
import { reportFailure } from '../app/forms/report-failure.server.ts'
import { t } from '../app/languages/language.ts'
import { languageAt, runInLanguage } from '../app/languages/languages.server.ts'
import { LiveStreams, streamLimits } from '../app/live/stream.server.ts'
import { handleRemoval, handleUpload, serveImage } from '../app/media/image-requests.server.ts'
import { refusalOfApiToken } from '../app/permissions.ts'
import { BodyRejected } from '../app/platform/body.server.ts'
import { networkOf } from '../app/platform/network.ts'
import { MENU_CODE_PATH } from '../app/staff/qr-code.server.ts'
import { readClientIp } from './client-ip.ts'
import { handleBackup } from './http/backup.ts'
import { collectionsApi, WRONG_METHOD } from './http/collections.ts'
import { handleFonts } from './http/fonts.ts'
import { handleGoogleReturn, handleGoogleStart } from './http/google-sign-in.ts'
import { createHeadingFonts } from './http/heading-font.ts'
import { handleHealth } from './http/health.ts'
import { handleImages } from './http/images.ts'
import { handleLogo } from './http/logo-images.ts'
import { handleMail } from './http/mail.ts'
import { handleMenuCode } from './http/menu-code.ts'
import { handleMetrics } from './http/metrics.ts'
import { handleOpenApi } from './http/openapi.ts'
import { PageCache } from './http/page-cache.ts'
import { routePatternAt, UNKNOWN_ROUTE } from './http/page-handles.ts'
import { handlePages } from './http/pages.ts'
import { createReadYourWrites } from './http/read-your-writes.ts'
import {
  createHandlerDependencies,
  type Env,
  type HandlerDependencies,
  type SiteDependencies,
} from './http/request-dependencies.ts'
import { robots, sitemap, webManifest } from './http/site-files.ts'
import { isFromOwnPage, isOtherPublicHost, originOf } from './origin.ts'
import { createUntrustedProxyRecorder } from './untrusted-proxies.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const HEALTH_PATHS = ['/livez', '/readyz', '/api/health']
// Load balancers and Prometheus request these paths by the IP address of this machine, so other hosts are not
// redirected.
const MONITORING_PATHS = [...HEALTH_PATHS, '/metrics']
// Images that search engines, messengers and link previews embed.
const EMBEDDABLE = /^\/(?:(?:art|pictures|seal)\/|favicon\.ico$)/
// Query parameters with secrets: links in e-mails and of members, invitations, the setup wizard, backups and OpenID Connect.
const SECRET_PARAMETERS = ['token', 'key', 'permit', 'code']

export function createApp(siteDeps: SiteDependencies) {
  const deps = createHandlerDependencies(siteDeps)
  const { log, live, metrics, settings } = deps
  const app = new Hono<Env>()
  const streams = new LiveStreams(live, { ...streamLimits, perNetwork: settings.liveStreamsPerNetwork })
  const saves = createReadYourWrites(deps)
  const fonts = createHeadingFonts(deps)
  const pages = new PageCache(deps)

  app.use(pages.remember)
  app.use(logRequests(deps))
  app.use(trackUnstored(deps))
  app.use(setSecurityHeaders(deps))
  app.onError((error, c) =>
    runInLanguage(languageAt(c.req.path) ?? null, () => {
      if (error instanceof BodyRejected) return respondWithError(c, t(error.message), error.status)
      const fallbackSentence = '申し訳ございません。ページを表示できませんでした。'
      const { status, sentence } = reportFailure(fallbackSentence, log, error, 'request failed')
      return respondWithError(c, sentence, status, status === 503 ? { 'retry-after': '5' } : {})
    }),
  )
  app.use(admitRequests(deps))
  app.use(admitApiTokens(deps))
  app.use(saves.setCookie)

  app.get('/livez', (c) => c.json({ status: 'ok' }, 200, { 'cache-control': 'no-store' }))
  for (const path of ['/readyz', '/api/health']) app.get(path, handleHealth(deps))
  if (metrics) {
    metrics.measureStreams(() => streams.count())
    app.get('/metrics', handleMetrics(deps, metrics)).all(refuseMethod('GET, HEAD'))
  }

  // Calls `readVisitor` repeatedly while the stream is open, because the visitor may sign out or lose a permission.
  app.get('/api/live', (c) => {
    const { origin, auth } = c.var
    const request = c.req.raw
    const readVisitor = () => deps.visitorOf(request, deps.authFor({ request, origin, address: null }))
    return streams.open(request, networkOf(auth.address), readVisitor)
  })

  addFileRoutes(app, deps)
  app.get('/fonts/heading.woff2', handleFonts(deps, fonts))
  addCallRoutes(app, deps)
  app.all('*', handlePages(deps, { fonts, saves, pages }))

  return Object.assign(app, { serveCached: pages.serve })
}

function addFileRoutes(app: Hono<Env>, deps: HandlerDependencies) {
  const { db } = deps

  app.use(
    '/assets/*',
    cacheIfFound('public, max-age=31536000, immutable'),
    serveStatic({ root: './build/client', precompressed: true }),
  )
  app.use(
    '/art/*',
    cacheIfFound('public, max-age=86400'),
    serveStatic({ root: './art/rendered', rewriteRequestPath: (path) => path.slice('/art'.length) }),
  )
  for (const path of ['/assets/*', '/art/*']) app.get(path, (c) => c.notFound())
  app.get('/pictures/:file', (c) => serveImage(db, c.req.param('file')))

  const serveLogo = handleLogo(deps)
  app.get('/seal/:digest/:file', serveLogo)
  app.get('/favicon.ico', serveLogo)

  app.get('/robots.txt', (c) => c.text(robots(c.var.origin), 200, { 'content-type': 'text/plain; charset=utf-8' }))
  app.get('/sitemap.xml', async (c) =>
    c.body(await sitemap(db, c.var.origin), 200, { 'content-type': 'application/xml; charset=utf-8' }),
  )
  app.get(MENU_CODE_PATH, handleMenuCode(db))
  app.get('/manifest.webmanifest', async (c) =>
    c.body(JSON.stringify(await webManifest(db)), 200, { 'content-type': 'application/manifest+json; charset=utf-8' }),
  )

  const pushWorker = readFileSync('./app/push/push-worker.js', 'utf8')
  app.get('/push-worker.js', (c) =>
    c.body(pushWorker, 200, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'none'; img-src 'self'",
    }),
  )

  app.get('/backup/file', handleBackup(deps))
}

function addCallRoutes(app: Hono<Env>, deps: HandlerDependencies) {
  app.get('/api/openapi.json', handleOpenApi())
  app.post('/api/mail', handleMail(deps))
  app.post('/api/upload', handleImages(deps, handleUpload, { url: '' }))
  app.post('/api/delete', handleImages(deps, handleRemoval, {}))
  app.route(
    '/api/collections',
    collectionsApi(deps.log, async (c) => {
      const auth = deps.freshAuth(c)
      return deps.contextFor(c.var.origin, await deps.visitorOf(c.req.raw, auth), auth)
    }),
  )
  app.get('/login/google', handleGoogleStart(deps))
  app.get('/api/auth/callback/google', handleGoogleReturn)
  app.on('ALL', [...HEALTH_PATHS, '/api/live', '/api/openapi.json'], refuseMethod('GET, HEAD'))
  app.on('ALL', ['/api/mail', '/api/upload', '/api/delete'], refuseMethod('POST'))
  app.all('/api/*', (c) => respondWithError(c, 'このAPIはありません。', 404))
}

function refuseMethod(allow: string) {
  return (c: Context) => respondWithError(c, WRONG_METHOD, 405, { allow })
}

function logRequests({ log, metrics }: HandlerDependencies): MiddlewareHandler<Env> {
  return async (c, next) => {
    const startedAt = performance.now()
    await next()
    const ms = performance.now() - startedAt
    const { method, path } = c.req
    // Proxies log 499 if the client disconnects before the response.
    const status = c.res.status === 500 && c.req.raw.signal.aborted ? 499 : c.res.status
    log.info({ method, path: path.slice(0, 200), status, ms: Math.round(ms) }, 'request')
    metrics?.countResponse({ route: routePatternOf(c), method, status, seconds: ms / 1000 })
  }
}

// The current route remains that of the handler that responded. A request that was not admitted has no origin, and its
// path may be malformed.
function routePatternOf(c: Context<Env>) {
  const pattern = routePath(c)
  if (/[^/*]/.test(pattern)) return pattern
  return c.var.origin ? routePatternAt(c.req.path) : UNKNOWN_ROUTE
}

// A successful POST proves that the disk is writable again.
function trackUnstored({ clock, health }: HandlerDependencies): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next()
    if (c.res.status === 507 && c.req.method !== 'GET') health.unstoredAt = clock()
    else if (c.res.ok && c.req.method === 'POST') health.unstoredAt = 0
  }
}

function setSecurityHeaders({ settings }: HandlerDependencies): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next()
    const headers = c.res.headers
    headers.set('x-content-type-options', 'nosniff')
    const hasSecret = SECRET_PARAMETERS.some((name) => c.req.query(name))
    // With `no-referrer`, browsers would send `Origin: null` with the forms of the page.
    headers.set('referrer-policy', hasSecret ? 'same-origin' : 'strict-origin-when-cross-origin')
    if (!isGoogleReturn(c.req.path)) headers.set('cross-origin-opener-policy', 'same-origin-allow-popups')
    headers.set('permissions-policy', 'camera=(), microphone=(), geolocation=()')
    headers.set('cross-origin-resource-policy', EMBEDDABLE.test(c.req.path) ? 'cross-origin' : 'same-origin')
    // CDNs store a 404 without Cache-Control for some minutes, although an update may add the file.
    if (c.res.status === 404 && !headers.has('cache-control')) headers.set('cache-control', 'no-store')
    if (hasSecret) headers.set('cache-control', 'private, no-store')
    if (!headers.has('content-security-policy')) {
      headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    }
    if (settings.publicOrigin?.startsWith('https:')) {
      headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
    }
  }
}

function admitRequests(deps: HandlerDependencies): MiddlewareHandler<Env> {
  const { authFor, settings } = deps
  const recordUntrustedProxy = createUntrustedProxyRecorder(deps)
  return async (c, next) => {
    if (!METHODS.includes(c.req.method)) return respondWithError(c, WRONG_METHOD, 405, { allow: METHODS.join(', ') })
    if (!isUnambiguousUrl(new URL(c.req.url))) return respondWithError(c, 'このアドレスは読み取れません。', 400)
    const origin = originOf(c.req.raw, settings)
    if (!origin) return respondWithError(c, 'このアドレスではご覧いただけません。', 400)
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    const senderIp = c.env?.incoming?.socket.remoteAddress
    if (isRead && !MONITORING_PATHS.includes(c.req.path) && isOtherPublicHost(c.req.raw, senderIp, settings)) {
      const { pathname, search } = new URL(c.req.url)
      c.header('cache-control', 'private, no-store')
      return c.redirect(`${origin}${pathname}${search}`, 308)
    }
    const ip = readClientIp(c.req.raw, senderIp, settings.trustedProxies)
    const auth = authFor({ request: c.req.raw, origin, address: ip })
    // Browsers attach cookies to requests of other sites, but never an API token.
    if (!isRead && !auth.hasBearerToken && !isFromOwnPage(c.req.raw, origin))
      return respondWithError(c, 'ほかのサイトからの操作はお受けできません。', 403)
    c.set('origin', origin)
    recordUntrustedProxy(c.req.raw, senderIp)
    c.set('auth', auth)
    await next()
  }
}

// The call itself reads the visitor again, so a token that is revoked meanwhile grants nothing.
function admitApiTokens({ db, clock, log }: HandlerDependencies): MiddlewareHandler<Env> {
  const isWithinLimit = createApiTokenLimit(clock)
  return async (c, next) => {
    const { auth } = c.var
    if (!auth.hasBearerToken) return next()
    const reject = (sentence: string, status: ContentfulStatusCode, headers: Record<string, string>) =>
      respondWithError(c, sentence, status, { 'cache-control': 'private, no-store', ...headers })
    const token = await auth.apiToken()
    if (!token) return reject(INVALID_TOKEN, 401, { 'www-authenticate': 'Bearer error="invalid_token"' })
    if (!isWithinLimit(token.id)) return reject(TOO_MANY_REQUESTS, 429, { 'retry-after': '60' })
    const refusal = refusalOfApiToken(token.scope, c.req.method)
    if (refusal) return reject(refusal, 403, { 'www-authenticate': 'Bearer error="insufficient_scope"' })
    await recordApiTokenUse(db, token, clock()).catch((error) => log.warn({ err: error }, 'API token use not stored'))
    await next()
  }
}

const INVALID_TOKEN = 'このトークンは使えません。アカウントの画面で、新しいトークンを作ってください。'
const TOO_MANY_REQUESTS = 'このトークンでの呼び出しが多すぎます。1分ほどおいてから、もう一度お試しください。'

// Whether all components interpret the URL in the same way. `Request` rejects credentials in a URL, and PostgreSQL
// cannot store NUL.
function isUnambiguousUrl({ username, password, pathname, href }: URL) {
  try {
    return username === '' && password === '' && !href.includes('%00') && decodeURIComponent(pathname) !== ''
  } catch {
    return false
  }
}

// serveStatic calls `onFound` after creating the response, so headers that `onFound` sets may be lost.
function cacheIfFound(cacheControl: string): MiddlewareHandler {
  return async (c, next) => {
    await next()
    if (c.res.ok) c.res.headers.set('cache-control', cacheControl)
  }
}

// With Cross-Origin-Opener-Policy, the sign-in pop-up would lose `window.opener` during its return from Google.
function isGoogleReturn(path: string) {
  return path === '/login/finished' || path.startsWith('/api/auth/')
}

// Endpoints under /api/ return the same JSON error. The sign-in callback returns text, because a person reads it.
function respondWithError(
  c: Context,
  sentence: string,
  status: ContentfulStatusCode,
  headers?: Record<string, string>,
) {
  return /^\/api(?:\/|$)/.test(c.req.path) && !isGoogleReturn(c.req.path)
    ? c.json({ success: false, url: '', error: sentence, message: sentence }, status, headers)
    : c.text(sentence, status, headers)
}
