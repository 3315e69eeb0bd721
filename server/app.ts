import { readFileSync } from 'node:fs'
import * as build from 'virtual:react-router/server-build'
import { serveStatic } from '@hono/node-server/serve-static'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { createRequestHandler, RouterContextProvider } from 'react-router'
import { googleAddedMail } from '../app/accounts/account-mails.ts'
import { accountsIn } from '../app/accounts/accounts.server.ts'
import { type Auth, authKey, createAuth } from '../app/accounts/auth.server.ts'
import { visitorOf as readVisitor } from '../app/accounts/visitor.server.ts'
import { BodyRefused, PICTURE_FORM, SMALL_FORM, TEXT_FORM, withBody } from '../app/body.server.ts'
import { dayInJapan } from '../app/days/japan.ts'
import type { Live } from '../app/live/announce.server.ts'
import { changeFor } from '../app/live/change.ts'
import { createStreams } from '../app/live/stream.server.ts'
import type { Mailer } from '../app/mail/mailer.server.ts'
import { mailerKey } from '../app/mail/mailer.server.ts'
import { MailMessage, sentences, tooManyMessages } from '../app/mail/message.ts'
import { receiveMessage } from '../app/mail/messages.server.ts'
import { enqueue } from '../app/mail/outbox.server.ts'
import { servePicture, takeRemoval, takeUpload } from '../app/media/serve.server.ts'
import { adoptImportedMember } from '../app/members/imported.server.ts'
import { networkOf } from '../app/network.ts'
import { mayUpload, refusedDishesAndCalendar, type Visitor } from '../app/permissions.ts'
import {
  type Accounts,
  accountsKey,
  type Clock,
  clockKey,
  dbKey,
  type Health,
  healthKey,
  identityKey,
  lastBackupKey,
  lastChangeKey,
  liveKey,
  logKey,
  originKey,
  ownerEmailKey,
  visitorKey,
} from '../app/request.ts'
import { readSite } from '../app/site/site.server.ts'
import { createThread } from '../app/thread.server.ts'
import { charactersAt } from '../app/ui/heading-characters.ts'
import type { Tables } from '../db/tables.ts'
import packageJson from '../package.json' with { type: 'json' }
import { collectionsApi } from './collections/collections.ts'
import { type TextPage, textPage } from './compress.ts'
import { finishDocument } from './document.ts'
import { robots, sitemap, webManifest } from './for-machines.ts'
import { createHeadingFonts, type MakeFont } from './heading-font.ts'
import { addressOf, isFromOwnPage, originOf } from './origin.ts'
import { createPageCache, pageOf, routeAt, sharedAddress } from './page-cache.ts'
import type { Settings } from './settings.ts'
import { createTurns } from './turns.ts'

// What uses the database with it comes from the same bundle.
export { accountsIn } from '../app/accounts/accounts.server.ts'
export { keepHolidaysFresh } from '../app/days/holidays.server.ts'
export { createLive } from '../app/live/announce.server.ts'
export { keepSweepingPictures } from '../app/media/images.server.ts'
export { hasHadAdministrator } from '../app/members/registration.server.ts'
export { startTellingOfEvents } from '../app/participation/event-notices.server.ts'
export { identityOf } from '../app/site/identity.server.ts'
export { siteBegunAt } from '../app/site/site.server.ts'
export { openAccounts, registerPeople } from './demo.ts'
export { fillSampleShop } from './sample-shop.ts'

export type World = {
  db: Kysely<Tables>
  clock: Clock
  log: Logger
  live: Live
  mailer: Mailer
  /** When the last good backup was made, in milliseconds since 1970; null where there is none. */
  lastBackup: () => Promise<number | null>
  /** Signs the cookies. */
  secret: string
  /** What the identifiers that this site gives away end with. */
  identity: string
  settings: Pick<
    Settings,
    'publicOrigin' | 'host' | 'trustedProxies' | 'google' | 'passwords' | 'ownerEmail' | 'liveStreamsPerNetwork'
  >
  /** Says who sends a request, where that is not its session's to say: for tests. */
  visitorOf?: (request: Request) => Promise<Visitor>
  /** In place of the accounts in the database: for tests. */
  accounts?: Accounts
  /** In place of the thread that makes fonts: for tests. */
  makeFont?: MakeFont
}

const FAILING_FOR_MS = 60_000
// Where the form of a card is.
const PICTURES = /^\/firestoreservice$|\/(?:edit|add)$/
const BUSY = 'ただいま混み合っています。少し待ってから、もう一度お開きください。'
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const fontRefusals = {
  'too often': '見出しの文字を続けてお求めです。1分ほどおいてからお試しください。',
  'too many wait': '見出しの文字のご用意が込み合っています。1分ほどおいてからお試しください。',
  failed: '見出しの文字をただいまご用意できません。1分ほどおいてからお試しください。',
}

const makeFontAside: MakeFont = createThread('./server/heading-font-worker.mjs')

type Env = {
  Bindings: { incoming?: { socket: { remoteAddress?: string } } }
  Variables: { origin: string; auth: Auth }
}

/** The whole site as one request handler; reads top to bottom as a request does. */
export function createApp({
  db,
  clock,
  log,
  live,
  mailer,
  lastBackup,
  secret,
  identity,
  settings,
  visitorOf,
  accounts,
  makeFont = makeFontAside,
}: World) {
  const app = new Hono<Env>()
  const health: Health = { failures: 0, failedAt: 0 }
  const streams = createStreams(live, { perNetwork: settings.liveStreamsPerNetwork })
  const css = stylesheet()
  const render = createRequestHandler(build, import.meta.env.MODE)
  const authFor = createAuth({
    db,
    clock,
    log,
    secret,
    passwords: settings.passwords,
    google: settings.google,
    verifies: mailer.verifies,
    onGoogleAdded: async (email, origin) => {
      const { name: shop } = await readSite(db)
      await enqueue(db, googleAddedMail({ to: email, shop }, origin), { at: new Date(clock()).toISOString() })
    },
    onSessionEnded: live.endStreamsOf,
  })
  const pages = createPageCache({ db, live, clock })
  const turns = createTurns()
  const fonts = createHeadingFonts({ db, clock, makeFont })

  app.use(async (c, next) => {
    const began = performance.now()
    await next()
    const ms = Math.round(performance.now() - began)
    // As proxies write it: who asked went away before the answer.
    const status = c.res.status === 500 && c.req.raw.signal.aborted ? 499 : c.res.status
    log.info({ method: c.req.method, path: c.req.path.slice(0, 200), status, ms }, 'request')
  })

  app.use(async (c, next) => {
    await next()
    const headers = c.res.headers
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'strict-origin-when-cross-origin')
    if (!isBackFromGoogle(c.req.path)) headers.set('cross-origin-opener-policy', 'same-origin-allow-popups')
    headers.set('permissions-policy', 'camera=(), microphone=(), geolocation=()')
    if (!headers.has('content-security-policy')) {
      headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    }
    if (settings.publicOrigin?.startsWith('https:')) {
      headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
    }
  })

  app.onError((error, c) => {
    if (error instanceof BodyRefused) return refuse(c, error.message, error.status)
    const reference = crypto.randomUUID().slice(0, 8)
    log.error({ err: error, reference }, 'request failed')
    return refuse(c, `申し訳ございません。ページを表示できませんでした（受付番号 ${reference}）。`, 500)
  })

  app.use(async (c, next) => {
    if (!methods.includes(c.req.method)) {
      return refuse(c, 'この方法ではお受けできません。', 405, { allow: methods.join(', ') })
    }
    if (!isPlain(new URL(c.req.url))) return refuse(c, 'このアドレスは読み取れません。', 400)
    const origin = originOf(c.req.raw, settings)
    if (!origin) return refuse(c, 'このアドレスではご覧いただけません。', 400)
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (!reads && !isFromOwnPage(c.req.raw, origin)) return refuse(c, 'ほかのサイトからの操作はお受けできません。', 403)
    c.set('origin', origin)
    const address = addressOf(c.req.raw, c.env?.incoming?.socket.remoteAddress, settings.trustedProxies)
    c.set('auth', authFor({ request: c.req.raw, origin, address }))
    await next()
  })

  app.get('/api/health', (c) => {
    const failing = clock() - health.failedAt < FAILING_FOR_MS
    const status = failing ? 'failing' : 'ok'
    // By its date a page finds out whether the clock of its device is right.
    const headers = { 'cache-control': 'no-store', date: new Date(clock()).toUTCString() }
    return c.json({ status, version: packageJson.version }, failing ? 503 : 200, headers)
  })

  // Asked again for as long as the stream is open: what a session could do may end before it.
  app.get('/api/live', (c) => {
    const { origin, auth } = c.var
    const request = c.req.raw
    return streams.open(request, networkOf(auth.address), () =>
      whoAsks(request, authFor({ request, origin, address: null })),
    )
  })

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
  app.get('/assets/*', (c) => c.notFound())
  app.get('/art/*', (c) => c.notFound())

  app.get('/pictures/:file', (c) => servePicture(db, c.req.param('file')))

  app.get('/fonts/heading.woff2', async (c) => {
    const characters = charactersAt(c.req.query('steps') ?? '')
    if (!characters) return c.notFound()
    const { auth } = c.var
    const asking = { address: auth.address, visitor: () => whoAsks(c.req.raw, auth) }
    const font = await fonts.get(characters, asking).catch((error) => {
      log.error({ err: error }, 'heading font not made')
      return 'failed' as const
    })
    if (!font) return c.notFound()
    if (typeof font === 'string') {
      const later = { 'cache-control': 'no-store', 'retry-after': '60' }
      return c.text(fontRefusals[font], font === 'too often' ? 429 : 503, later)
    }
    return c.body(Uint8Array.from(font), 200, {
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  app.get('/robots.txt', (c) => c.text(robots(c.var.origin), 200, { 'content-type': 'text/plain; charset=utf-8' }))
  app.get('/sitemap.xml', (c) =>
    c.body(sitemap(c.var.origin), 200, { 'content-type': 'application/xml; charset=utf-8' }),
  )
  app.get('/manifest.webmanifest', async (c) =>
    c.body(JSON.stringify(await webManifest(db)), 200, { 'content-type': 'application/manifest+json; charset=utf-8' }),
  )

  app.post('/api/mail', async (c) => {
    if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
      return c.json({ error: sentences.failed }, 415)
    const sent = await withBody(c.req.raw, { most: TEXT_FORM, address: c.var.auth.address }, readJson)
    const read = MailMessage.safeParse(sent)
    if (!read.success) {
      const [issue] = read.error.issues
      return c.json({ error: issue && issue.path.length > 0 ? issue.message : sentences.failed }, 400)
    }
    const { origin, auth } = c.var
    try {
      const arrival = { address: auth.address, key: '', spam: false, origin, now: clock() }
      const received = await receiveMessage(db, read.data, arrival)
      if (received === 'sent') return c.json({ message: sentences.sent })
      return c.json({ error: tooManyMessages((await readSite(db)).telephone) }, 429)
    } catch (error) {
      const reference = crypto.randomUUID().slice(0, 8)
      log.error({ err: error, reference }, 'message not taken')
      return c.json({ error: `${sentences.failed}（受付番号 ${reference}）` }, 500)
    }
  })

  for (const [path, answer] of Object.entries({ '/api/upload': takeUpload, '/api/delete': takeRemoval })) {
    const url = path === '/api/upload' ? { url: '' } : {}
    app.post(path, async (c) => {
      const author = async () => {
        const visitor = await whoAsks(c.req.raw, askedAgain(c))
        const site = await readSite(db)
        const refused = { status: visitor ? 403 : 401, message: refusedDishesAndCalendar(visitor, site) } as const
        if (!visitor || !mayUpload(visitor, site)) return refused
        return { accountId: visitor.accountId, at: new Date(clock()).toISOString() }
      }
      const first = await author()
      if ('status' in first) return c.json({ success: false, ...url, message: first.message }, first.status)
      try {
        return await answer(c.req.raw, { db, log, author, address: c.var.auth.address })
      } catch (error) {
        if (error instanceof BodyRefused) throw error
        const reference = crypto.randomUUID().slice(0, 8)
        log.error({ err: error, reference }, 'picture not taken')
        const message = `写真を受け取れませんでした（受付番号 ${reference}）。もう一度お試しください。`
        return c.json({ success: false, ...url, message }, 500)
      }
    })
  }

  app.route(
    '/api/collections',
    collectionsApi(log, async (c) => {
      const auth = askedAgain(c)
      return contextFor(c.var.origin, await whoAsks(c.req.raw, auth), auth)
    }),
  )

  app.all('/api/auth/*', async (c) => (await c.var.auth.handle()) ?? c.notFound())

  app.all('*', async (c) => {
    const { pathname, search } = new URL(c.req.url)
    if (pathname.length > 1 && pathname.endsWith('/')) {
      // One leading slash: "//elsewhere.example/" must not become an address of another site.
      return c.redirect(`/${pathname.replace(/^\/+|\/+$/g, '')}${search}`, 308)
    }
    const { origin } = c.var
    let { auth } = c.var
    let visitor = await whoAsks(c.req.raw, auth)
    const shared = visitor ? null : sharedAddress(c.req.raw, origin, dayInJapan(clock()))
    const found = shared && (await pages.get(shared, () => shareable(shared, origin)))
    const response = found
      ? await found.page.answer(c.req.raw)
      : await withBody(
          c.req.raw,
          { most: c.req.raw.body ? await mostOf(pathname, visitor) : 0, address: auth.address },
          async (arrived) => {
            if (c.req.raw.body) {
              auth = askedAgain(c)
              visitor = await whoAsks(c.req.raw, auth)
            }
            // A HEAD is rendered as a GET, so that it says the same of the page; its body is left out at the end.
            const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
            const asked = new Request(`${origin}${pathname}${search}`, new Request(arrived, { method }))
            const answer = await turns.take(visitor, method, async () => {
              const made = await make(asked, origin, visitor, auth)
              return made instanceof Response ? made : made.answer(c.req.raw)
            })
            return answer ?? c.text(BUSY, 503, { 'retry-after': '5' })
          },
        )
    if (!visitor && auth.cookies.length === 0) return response
    // What a member sees stays in no cache: after signing out, nothing can be paged back to.
    const headers = new Headers(response.headers)
    headers.set('cache-control', 'private, no-store')
    headers.delete('etag')
    for (const cookie of auth.cookies) headers.append('set-cookie', cookie)
    return new Response(response.body, { status: response.status, headers })
  })

  // While a body was on its way, the session that it came with may have ended.
  function askedAgain({ req, var: { origin, auth } }: Context<Env>) {
    return authFor({ request: req.raw, origin, address: auth.address })
  }

  // Nobody needs more to say who they are; with a picture come those who may send one.
  async function mostOf(pathname: string, visitor: Visitor) {
    if (routeAt(pathname).startsWith('accounts/')) return SMALL_FORM
    return PICTURES.test(pageOf(pathname)) && mayUpload(visitor, await readSite(db)) ? PICTURE_FORM : TEXT_FORM
  }

  async function whoAsks(request: Request, auth: Auth) {
    const visitor = (await visitorOf?.(request)) ?? (await readVisitor(db, auth))
    if (!visitor || visitor.member) return visitor
    return { ...visitor, member: await adoptImportedMember(db, visitor, new Date(clock()).toISOString()) }
  }

  function contextFor(origin: string, visitor: Visitor, auth: Auth) {
    const context = new RouterContextProvider()
    context.set(dbKey, db)
    context.set(clockKey, clock)
    context.set(logKey, log)
    context.set(healthKey, health)
    context.set(liveKey, live)
    context.set(lastChangeKey, changeFor(visitor, live.lastChange()))
    context.set(originKey, origin)
    context.set(identityKey, identity)
    context.set(authKey, auth)
    context.set(mailerKey, mailer)
    context.set(lastBackupKey, lastBackup)
    context.set(accountsKey, accounts ?? accountsIn(db, live))
    context.set(ownerEmailKey, settings.ownerEmail)
    context.set(visitorKey, visitor)
    return context
  }

  async function make(request: Request, origin: string, visitor: Visitor, auth: Auth) {
    return finished(await render(request, contextFor(origin, visitor, auth)), { css, fonts })
  }

  // A page that lacks what could not be read now is for those who ask now.
  async function shareable(address: string, origin: string) {
    const failuresBefore = health.failures
    // Rendered from the address alone: nothing of who asks first can get in.
    const request = new Request(address)
    const work = () => make(request, origin, null, authFor({ request, origin, address: null }))
    // Of those with a query there are as many as anyone cares to ask for: they wait for their turn.
    const made = await (address.includes('?') ? turns.take(null, 'GET', work) : work())
    if (!made || made instanceof Response || ![200, 404].includes(made.status)) return null
    if (made.headers.has('set-cookie')) return null
    return { page: made, keep: health.failures === failuresBefore }
  }

  return app
}

// An address that a Request can have, and that every part of us reads alike.
function isPlain({ username, password, pathname }: URL) {
  try {
    return username === '' && password === '' && decodeURIComponent(pathname) !== ''
  } catch {
    return false
  }
}

const readJson = (request: Request): Promise<unknown> => request.json().catch(() => null)

// Said of the answer itself: serveStatic's own onFound comes after it, and reaches it only where headers are copied late.
function keptWhereFound(cacheControl: string): MiddlewareHandler {
  return async (c, next) => {
    await next()
    if (c.res.ok) c.res.headers.set('cache-control', cacheControl)
  }
}

// A page that forbids being talked to from other sites would lose the window that opened it, on the way back from one.
function isBackFromGoogle(path: string) {
  return path === '/login/finished' || path.startsWith('/api/auth/')
}

// In the one body that every call beside the pages reads, else as text.
function refuse(c: Context, sentence: string, status: ContentfulStatusCode, headers?: Record<string, string>) {
  return c.req.path.startsWith('/api/')
    ? c.json({ success: false, url: '', error: sentence, message: sentence }, status, headers)
    : c.text(sentence, status, headers)
}

/** A rendered page, its data or a calendar as it leaves, whole and with its policy; anything else as it is. */
async function finished(
  response: Response,
  { css, fonts }: { css: string; fonts: Pick<ReturnType<typeof createHeadingFonts>, 'name'> },
): Promise<TextPage | Response> {
  const type = response.headers.get('content-type') ?? ''
  if (!response.body || !/^text\/(?:html|x-script|calendar)/.test(type)) return response
  const headers = new Headers(response.headers)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-cache')
  let text = await response.text()
  if (type.startsWith('text/html')) {
    const { document, policy, font } = finishDocument(text, css)
    fonts.name(font.characters)
    headers.append('link', `<${font.url}>; rel=preload; as=font; type="font/woff2"; crossorigin`)
    headers.set('content-security-policy', policy)
    text = document
  }
  return textPage(text, response.status, headers)
}

function stylesheet() {
  const files = build.assets.routes.root?.css ?? []
  return import.meta.env.DEV ? '' : files.map((file) => readFileSync(`build/client${file}`, 'utf8')).join('')
}
