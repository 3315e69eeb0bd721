import { serveStatic } from '@hono/node-server/serve-static'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import { reportFailure } from '../app/forms/report-failure.server.ts'
import { LiveStreams, streamLimits } from '../app/live/stream.server.ts'
import { handleRemoval, handleUpload, serveImage } from '../app/media/image-requests.server.ts'
import { BodyRefused } from '../app/platform/body.server.ts'
import { networkOf } from '../app/platform/network.ts'
import type { Health } from '../app/request.ts'
import { handleBackup } from './http/backup.ts'
import { collectionsApi, WRONG_METHOD } from './http/collections.ts'
import { handleFonts } from './http/fonts.ts'
import { robots, sitemap, webManifest } from './http/for-machines.ts'
import { handleGoogleReturn, handleGoogleStart } from './http/google-sign-in.ts'
import { createHeadingFonts } from './http/heading-font.ts'
import { handleHealth } from './http/health.ts'
import { handleImages } from './http/images.ts'
import { handleLogo } from './http/logo-images.ts'
import { handleMail } from './http/mail.ts'
import { PageCache } from './http/page-cache.ts'
import { handlePages } from './http/pages.ts'
import { createReadYourWrites } from './http/read-your-writes.ts'
import {
  createRequestDependencies,
  type Env,
  type RequestDependencies,
  type SiteDependencies,
} from './http/request-dependencies.ts'
import { addressOf, isFromOwnPage, isUnderOtherName, originOf } from './origin.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

// Images that search engines, messengers and link previews embed.
const EMBEDDABLE = /^\/(?:(?:art|pictures|seal)\/|favicon\.ico$)/
// Query parameters with secrets: mailed links, invitations, the setup wizard, backups and OpenID Connect.
const SECRET_NAMES = ['token', 'key', 'permit', 'code']

/** Creates the request handler of the site. `serveCached` sends cached pages before a Request is created. */
export function createApp(world: SiteDependencies) {
  const { clock, log, live, settings } = world
  const app = new Hono<Env>()
  const health: Health = { failures: 0, failedAt: 0, unstoredAt: 0 }
  const asking = createRequestDependencies(world, health)
  const streams = new LiveStreams(live, { ...streamLimits, perNetwork: settings.liveStreamsPerNetwork })
  const saves = createReadYourWrites(world)
  const fonts = createHeadingFonts(world)
  const pages = new PageCache(world)

  app.use(pages.remember)
  app.use(noted(log))
  app.use(remembersUnstored(health, clock))
  app.use(guarded(settings))
  app.onError((error, c) => {
    if (error instanceof BodyRefused) return refuse(c, error.message, error.status)
    const otherwise = '申し訳ございません。ページを表示できませんでした。'
    const { status, sentence } = reportFailure(otherwise, log, error, 'request failed')
    return refuse(c, sentence, status, status === 503 ? { 'retry-after': '5' } : {})
  })
  app.use(admitted(settings, asking))
  app.use(saves.mark)

  app.get('/api/health', handleHealth(world, health))

  // Called repeatedly while the stream is open, because the session may end or lose its rights earlier.
  app.get('/api/live', (c) => {
    const { origin, auth } = c.var
    const request = c.req.raw
    const look = () => asking.visitorOf(request, asking.authFor({ request, origin, address: null }))
    return streams.open(request, networkOf(auth.address), look)
  })

  addFileRoutes(app, world, { asking, fonts })
  addCallRoutes(app, world, asking)
  app.all('*', handlePages(world, { asking, health, fonts, saves, pages }))

  return Object.assign(app, { serveCached: pages.serve })
}

type Fonts = ReturnType<typeof createHeadingFonts>

function addFileRoutes(
  app: Hono<Env>,
  world: SiteDependencies,
  { asking, fonts }: { asking: RequestDependencies; fonts: Fonts },
) {
  const { db } = world

  app.use(
    '/assets/*',
    keptWhereFound('public, max-age=31536000, immutable'),
    serveStatic({ root: './build/client', precompressed: true }),
  )
  app.use(
    '/art/*',
    keptWhereFound('public, max-age=86400'),
    serveStatic({ root: './art/rendered', rewriteRequestPath: (path) => path.slice('/art'.length) }),
  )
  for (const path of ['/assets/*', '/art/*']) app.get(path, (c) => c.notFound())
  app.get('/pictures/:file', (c) => serveImage(db, c.req.param('file')))
  app.get('/fonts/heading.woff2', handleFonts(fonts, world, asking))

  const seal = handleLogo(world)
  app.get('/seal/:digest/:file', seal)
  app.get('/favicon.ico', seal)

  app.get('/robots.txt', (c) => c.text(robots(c.var.origin), 200, { 'content-type': 'text/plain; charset=utf-8' }))
  app.get('/sitemap.xml', async (c) =>
    c.body(await sitemap(db, c.var.origin), 200, { 'content-type': 'application/xml; charset=utf-8' }),
  )
  app.get('/manifest.webmanifest', async (c) =>
    c.body(JSON.stringify(await webManifest(db)), 200, { 'content-type': 'application/manifest+json; charset=utf-8' }),
  )

  app.get('/backup/file', handleBackup(world, asking))
}

function addCallRoutes(app: Hono<Env>, world: SiteDependencies, asking: RequestDependencies) {
  app.post('/api/mail', handleMail(world))
  app.post('/api/upload', handleImages(handleUpload, { url: '' }, world, asking))
  app.post('/api/delete', handleImages(handleRemoval, {}, world, asking))
  app.route(
    '/api/collections',
    collectionsApi(world.log, async (c) => {
      const auth = asking.again(c)
      return asking.contextFor(c.var.origin, await asking.visitorOf(c.req.raw, auth), auth)
    }),
  )
  app.get('/login/google', handleGoogleStart(world))
  app.get('/api/auth/callback/google', handleGoogleReturn)
  const refuseMethod = (allow: string) => (c: Context) => refuse(c, WRONG_METHOD, 405, { allow })
  app.on('ALL', ['/api/health', '/api/live'], refuseMethod('GET, HEAD'))
  app.on('ALL', ['/api/mail', '/api/upload', '/api/delete'], refuseMethod('POST'))
  app.all('/api/*', (c) => refuse(c, 'このAPIはありません。', 404))
}

function noted(log: Logger): MiddlewareHandler<Env> {
  return async (c, next) => {
    const began = performance.now()
    await next()
    const ms = Math.round(performance.now() - began)
    // As proxies log it: the client closed the connection before the response.
    const status = c.res.status === 500 && c.req.raw.signal.aborted ? 499 : c.res.status
    log.info({ method: c.req.method, path: c.req.path.slice(0, 200), status, ms }, 'request')
  }
}

// A successful POST proves that the disk is writable again.
function remembersUnstored(health: Health, clock: () => number): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next()
    if (c.res.status === 507 && c.req.method !== 'GET') health.unstoredAt = clock()
    else if (c.res.ok && c.req.method === 'POST') health.unstoredAt = 0
  }
}

function guarded(settings: SiteDependencies['settings']): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next()
    const headers = c.res.headers
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'strict-origin-when-cross-origin')
    if (!isBackFromGoogle(c.req.path)) headers.set('cross-origin-opener-policy', 'same-origin-allow-popups')
    headers.set('permissions-policy', 'camera=(), microphone=(), geolocation=()')
    headers.set('cross-origin-resource-policy', EMBEDDABLE.test(c.req.path) ? 'cross-origin' : 'same-origin')
    if (SECRET_NAMES.some((name) => c.req.query(name))) headers.set('cache-control', 'private, no-store')
    if (!headers.has('content-security-policy')) {
      headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    }
    if (settings.publicOrigin?.startsWith('https:')) {
      headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
    }
  }
}

function admitted(settings: SiteDependencies['settings'], { authFor }: RequestDependencies): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (!methods.includes(c.req.method)) return refuse(c, WRONG_METHOD, 405, { allow: methods.join(', ') })
    if (!isPlain(new URL(c.req.url))) return refuse(c, 'このアドレスは読み取れません。', 400)
    const origin = originOf(c.req.raw, settings)
    if (!origin) return refuse(c, 'このアドレスではご覧いただけません。', 400)
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD'
    const sender = c.env?.incoming?.socket.remoteAddress
    // Load balancers request the health endpoint by this machine's IP address.
    if (reads && c.req.path !== '/api/health' && isUnderOtherName(c.req.raw, sender, settings)) {
      const { pathname, search } = new URL(c.req.url)
      c.header('cache-control', 'private, no-store')
      return c.redirect(`${origin}${pathname}${search}`, 308)
    }
    if (!reads && !isFromOwnPage(c.req.raw, origin)) return refuse(c, 'ほかのサイトからの操作はお受けできません。', 403)
    c.set('origin', origin)
    const address = addressOf(c.req.raw, sender, settings.trustedProxies)
    c.set('auth', authFor({ request: c.req.raw, origin, address }))
    await next()
  }
}

// Whether every component parses the URL alike. A Request allows no credentials, and PostgreSQL stores no NUL.
function isPlain({ username, password, pathname, href }: URL) {
  try {
    return username === '' && password === '' && !href.includes('%00') && decodeURIComponent(pathname) !== ''
  } catch {
    return false
  }
}

// serveStatic calls `onFound` after creating the response, so headers set there may be lost.
function keptWhereFound(cacheControl: string): MiddlewareHandler {
  return async (c, next) => {
    await next()
    if (c.res.ok) c.res.headers.set('cache-control', cacheControl)
  }
}

// With Cross-Origin-Opener-Policy, the sign-in pop-up would lose `window.opener` when it returns from Google.
function isBackFromGoogle(path: string) {
  return path === '/login/finished' || path.startsWith('/api/auth/')
}

// Endpoints under /api/ share one JSON body. The return from Google is text, because a person reads it.
function refuse(c: Context, sentence: string, status: ContentfulStatusCode, headers?: Record<string, string>) {
  return /^\/api(?:\/|$)/.test(c.req.path) && !isBackFromGoogle(c.req.path)
    ? c.json({ success: false, url: '', error: sentence, message: sentence }, status, headers)
    : c.text(sentence, status, headers)
}
