import { readFileSync } from 'node:fs'
import * as build from 'virtual:react-router/server-build'
import type { Context } from 'hono'
import { createRequestHandler } from 'react-router'
import type { Auth } from '../../app/accounts/auth.server.ts'
import { type Language, t } from '../../app/languages/language.ts'
import { languageAt, languages, runInLanguage } from '../../app/languages/languages.server.ts'
import type { Visitor } from '../../app/permissions.ts'
import { MAX_SMALL_FORM_BYTES, MAX_TEXT_FORM_BYTES, withBody } from '../../app/platform/body.server.ts'
import { readSite } from '../../app/settings/site.server.ts'
import { textPage } from './compress.ts'
import { finishDocument, type Stylesheet } from './document.ts'
import type { createHeadingFonts } from './heading-font.ts'
import { withOutageFallback } from './health.ts'
import type { PageCache } from './page-cache.ts'
import {
  handleAt,
  routePatternAt,
  type SharedPage,
  sharedPage,
  UNKNOWN_ROUTE,
  withoutLanguage,
} from './page-handles.ts'
import type { createReadYourWrites } from './read-your-writes.ts'
import { createRenderingQueues } from './rendering-queues.ts'
import type { Env, HandlerDependencies } from './request-dependencies.ts'

const BUSY = 'ただいま混み合っています。少し待ってから、もう一度お開きください。'

type PageDependencies = {
  fonts: ReturnType<typeof createHeadingFonts>
  saves: ReturnType<typeof createReadYourWrites>
  pages: PageCache
}

export function handlePages(deps: HandlerDependencies, { fonts, saves, pages }: PageDependencies) {
  const { renderForVisitor, renderShared } = createRendering(deps, fonts)

  return async (c: Context<Env>) => {
    const { pathname, search } = new URL(c.req.url)
    if (pathname.length > 1 && pathname.endsWith('/')) {
      return c.redirect(`${withoutEmptyParts(pathname)}${search}`, 308)
    }
    const { origin, auth } = c.var
    const requestedLanguage = languageAt(pathname)
    const language = requestedLanguage && (await hasOtherLanguages()) ? requestedLanguage : null
    const prefix = language ? `/${language.code}` : ''
    const isOnlyJapanese = language ? !handleAt(pathname).translations : routePatternAt(pathname) !== UNKNOWN_ROUTE
    if (requestedLanguage && isOnlyJapanese) {
      const location = `${withoutEmptyParts(withoutLanguage(pathname))}${search}`
      // Bookmarks, e-mails and open forms may be older than the owner's choice of languages.
      return c.redirect(location, ['GET', 'HEAD'].includes(c.req.method) ? 302 : 307)
    }
    const saveState = saves.readSaveState(c.req.raw, origin)
    const visit = { saved: saveState !== 'none' }
    // The cached page may predate a save that this process has not received yet.
    const shared = saveState === 'pending' ? null : sharedPage(c.req.raw, origin, prefix)
    const lastPage = shared ? pages.last(shared, visit) : undefined
    // In other languages, members and staff see the pages of guests.
    const visitor = language ? null : await identifyVisitor(c, lastPage !== undefined)
    if (visitor === 'unknown') return lastPage ? lastPage.respond(c.req.raw) : renderForVisitor(c, null, null)
    const rendering =
      visitor || !shared ? null : await pages.get(shared, () => renderShared(shared, origin, language), visit)
    if (!rendering || !shared) return renderForVisitor(c, visitor, language)
    const { page, keep } = rendering
    if (keep) c.set('cached', { url: shared.url, page })
    return withVisitorHeaders(visitor, auth, await page.respond(c.req.raw))
  }

  // During an outage, the last version of an English page stays available.
  function hasOtherLanguages() {
    const isOn = readSite(deps.db).then(({ otherLanguages }) => otherLanguages)
    return withOutageFallback(deps, isOn, true)
  }

  // If the page has a last version, a signed-in visitor need not wait for a database that does not respond.
  async function identifyVisitor(c: Context<Env>, hasLastPage: boolean) {
    const visitor = deps.visitorOf(c.req.raw, c.var.auth)
    if (!hasLastPage || !c.req.header('cookie')) return visitor
    return withOutageFallback(deps, visitor, 'unknown' as const)
  }
}

function createRendering(
  { health, metrics, authFor, freshAuth, visitorOf, contextFor }: HandlerDependencies,
  fonts: PageDependencies['fonts'],
) {
  const stylesheet = readStylesheet()
  const renderJapanese = createRequestHandler(build, import.meta.env.MODE)
  // With a basename, the router adds the prefix of the language to the links of a page.
  const renderers = new Map(
    languages.map(({ code }) => [code, createRequestHandler({ ...build, basename: `/${code}` }, import.meta.env.MODE)]),
  )
  const queues = createRenderingQueues()

  async function renderForVisitor(c: Context<Env>, firstVisitor: Visitor, language: Language | null) {
    const { pathname, search } = new URL(c.req.url)
    const { origin } = c.var
    const request = c.req.raw
    const maxBytes = handleAt(pathname).hasShortForms ? MAX_SMALL_FORM_BYTES : MAX_TEXT_FORM_BYTES
    return withBody(request, { most: maxBytes, address: c.var.auth.address }, async (bodyRequest) => {
      const auth = request.body ? freshAuth(c) : c.var.auth
      const visitor = request.body && !language ? await visitorOf(request, auth) : firstVisitor
      // A HEAD request is rendered like a GET request, so that the headers match. The body is dropped at the end.
      const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
      const renderRequest = new Request(`${origin}${pathname}${search}`, new Request(bodyRequest, { method }))
      const response = await queues.run(visitor, method, async () => {
        const page = await renderResponse(renderRequest, origin, visitor, auth, { language, isPersonal: true })
        return page instanceof Response ? page : page.respond(request)
      })
      const busy = () => c.text(t(BUSY), 503, { 'retry-after': '5' })
      return withVisitorHeaders(visitor, auth, response ?? runInLanguage(language, busy))
    })
  }

  async function renderResponse(
    request: Request,
    origin: string,
    visitor: Visitor,
    auth: Auth,
    { language, isPersonal = false }: { language: Language | null; isPersonal?: boolean },
  ) {
    const endRendering = metrics?.startRendering()
    const render = (language && renderers.get(language.code)) ?? renderJapanese
    const context = contextFor(origin, visitor, auth)
    const response = await runInLanguage(language, () => render(request, context))
    const type = response.headers.get('content-type') ?? ''
    if (!response.body || !/^text\/(?:html|x-script|calendar)/.test(type)) return response
    const headers = new Headers(response.headers)
    if (handleAt(new URL(request.url).pathname).cache === 'none') headers.set('cache-control', 'private, no-store')
    else if (!headers.has('cache-control')) headers.set('cache-control', 'no-cache')
    if (response.status === 503) headers.set('retry-after', '5')
    let text = await response.text()
    if (type.startsWith('text/html')) {
      const { document, policy, font } = finishDocument(text, stylesheet)
      fonts.register(font.characters)
      headers.append('link', `<${font.url}>; rel=preload; as=font; type="font/woff2"; crossorigin`)
      headers.set('content-security-policy', policy)
      text = document
      endRendering?.()
    }
    // Programs poll the calendar, so the calendar needs an ETag.
    return textPage(text, response.status, headers, { isPersonal: isPersonal && !type.startsWith('text/calendar') })
  }

  // A page that lacks data after a failed read is sent, but not cached.
  async function renderShared({ url, isOneOfMany }: SharedPage, origin: string, language: Language | null) {
    const failuresBefore = health.failures
    // Renders from the URL alone, so that no data of the first visitor can leak into the page.
    const request = new Request(url)
    const auth = authFor({ request, origin, address: null })
    const work = () => renderResponse(request, origin, null, auth, { language })
    // Clients can request any number of pages with `isOneOfMany`, so these pages wait for a slot.
    const page = await (isOneOfMany ? queues.run(null, 'GET', work) : work())
    if (!page || page instanceof Response || page.headers.has('set-cookie')) return null
    if (page.status >= 500) return { page, keep: false }
    if (![200, 404].includes(page.status)) return null
    return { page, keep: health.failures === failuresBefore }
  }

  return { renderForVisitor, renderShared }
}

// The result has one leading slash, because a redirect to "//elsewhere.example/" would leave the site.
function withoutEmptyParts(pathname: string) {
  return `/${pathname.split('/').filter(Boolean).join('/')}`
}

function withVisitorHeaders(visitor: Visitor, { cookies }: Auth, response: Response) {
  if (!visitor && cookies.length === 0) return response
  // No cache may store a member's page: after signing out, the back button must not show the page.
  const headers = new Headers(response.headers)
  headers.set('cache-control', 'private, no-store')
  headers.delete('etag')
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}

function readStylesheet(): Stylesheet {
  if (import.meta.env.DEV) return { href: '', rules: [] }
  const [href = ''] = build.assets.routes.root?.css ?? []
  return { href, rules: href ? JSON.parse(readFileSync('build/server/styles.json', 'utf8')) : [] }
}
