import { readFileSync } from 'node:fs'
import * as build from 'virtual:react-router/server-build'
import type { Context } from 'hono'
import { createRequestHandler } from 'react-router'
import type { Auth } from '../../app/accounts/auth.server.ts'
import type { Visitor } from '../../app/permissions.ts'
import { SMALL_FORM, TEXT_FORM, withBody } from '../../app/platform/body.server.ts'
import type { Health } from '../../app/request.ts'
import { failureOf } from '../../db/failure.ts'
import { textPage } from './compress.ts'
import { finishDocument, type Stylesheet } from './document.ts'
import type { createHeadingFonts } from './heading-font.ts'
import { unlessSilent } from './health.ts'
import type { PageCache } from './page-cache.ts'
import { handleAt, type SharedPage, sharedPage } from './page-handles.ts'
import type { createReadYourWrites } from './read-your-writes.ts'
import { createRenderingQueues } from './rendering-queues.ts'
import type { Env, RequestDependencies, SiteDependencies } from './request-dependencies.ts'

const BUSY = 'ただいま混み合っています。少し待ってから、もう一度お開きください。'

type Fonts = Pick<ReturnType<typeof createHeadingFonts>, 'name'>
type Saves = Pick<ReturnType<typeof createReadYourWrites>, 'lately'>
type Rooms = { asking: RequestDependencies; health: Health; fonts: Fonts; saves: Saves; pages: PageCache }

export function handlePages({ db }: SiteDependencies, { asking, health, fonts, saves, pages }: Rooms) {
  const { afresh, shareable } = createRendering({ asking, health, fonts })

  return async (c: Context<Env>) => {
    const { pathname, search } = new URL(c.req.url)
    if (pathname.length > 1 && pathname.endsWith('/')) {
      // One leading slash: "//elsewhere.example/" must not redirect to another site.
      return c.redirect(`/${pathname.split('/').filter(Boolean).join('/')}${search}`, 308)
    }
    const { origin, auth } = c.var
    const lately = saves.lately(c.req.raw, origin)
    const asks = { saved: lately !== 'none' }
    // The cached page may predate a save that this process has not received yet.
    const shared = lately === 'untold' ? null : sharedPage(c.req.raw, origin)
    const last = shared ? pages.last(shared, asks) : undefined
    const visitor = await whoAsks(c, last !== undefined)
    if (visitor === 'nobody can tell') return last ? last.answer(c.req.raw) : afresh(c, null)
    const found = visitor || !shared ? null : await pages.get(shared, () => shareable(shared, origin), asks)
    if (!found || !shared) return afresh(c, visitor)
    const { page, keep } = found
    if (keep) c.set('cached', { address: shared.address, page })
    return answerFor(visitor, auth, await page.answer(c.req.raw))
  }

  // If a last page exists, a signed-in visitor need not wait for a silent database.
  async function whoAsks(c: Context<Env>, hasLast: boolean) {
    const visitor = asking.visitorOf(c.req.raw, c.var.auth)
    if (!hasLast || !c.req.header('cookie')) return visitor
    const nobody = 'nobody can tell' as const
    const known = visitor.catch((error) => {
      if (failureOf(error)) return nobody
      throw error
    })
    return unlessSilent(db, known, nobody)
  }
}

function createRendering({ asking, health, fonts }: Omit<Rooms, 'saves' | 'pages'>) {
  const stylesheet = readStylesheet()
  const render = createRequestHandler(build, import.meta.env.MODE)
  const turns = createRenderingQueues()

  async function afresh(c: Context<Env>, first: Visitor) {
    const { pathname, search } = new URL(c.req.url)
    const { origin } = c.var
    const request = c.req.raw
    const most = handleAt(pathname).hasShortForms ? SMALL_FORM : TEXT_FORM
    return withBody(request, { most, address: c.var.auth.address }, async (arrived) => {
      const auth = request.body ? asking.again(c) : c.var.auth
      const visitor = request.body ? await asking.visitorOf(request, auth) : first
      // HEAD is rendered as GET, so that the headers match. The body is dropped at the end.
      const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
      const asked = new Request(`${origin}${pathname}${search}`, new Request(arrived, { method }))
      const answer = await turns.inTurn(visitor, method, async () => {
        const made = await make(asked, origin, visitor, auth, { once: true })
        return made instanceof Response ? made : made.answer(request)
      })
      return answerFor(visitor, auth, answer ?? c.text(BUSY, 503, { 'retry-after': '5' }))
    })
  }

  async function make(request: Request, origin: string, visitor: Visitor, auth: Auth, { once = false } = {}) {
    const response = await render(request, asking.contextFor(origin, visitor, auth))
    const type = response.headers.get('content-type') ?? ''
    if (!response.body || !/^text\/(?:html|x-script|calendar)/.test(type)) return response
    const headers = new Headers(response.headers)
    if (handleAt(new URL(request.url).pathname).cache === 'none') headers.set('cache-control', 'private, no-store')
    else if (!headers.has('cache-control')) headers.set('cache-control', 'no-cache')
    if (response.status === 503) headers.set('retry-after', '5')
    let text = await response.text()
    if (type.startsWith('text/html')) {
      const { document, policy, font } = finishDocument(text, stylesheet)
      fonts.name(font.characters)
      headers.append('link', `<${font.url}>; rel=preload; as=font; type="font/woff2"; crossorigin`)
      headers.set('content-security-policy', policy)
      text = document
    }
    // Programs poll the calendar, so it needs an ETag.
    return textPage(text, response.status, headers, { once: once && !type.startsWith('text/calendar') })
  }

  // A page that lacks data after a failed read is sent, but not cached.
  async function shareable({ address, isOneOfMany }: SharedPage, origin: string) {
    const failuresBefore = health.failures
    // Rendered from the URL alone, so that no data of the first visitor can leak into the page.
    const request = new Request(address)
    const work = () => make(request, origin, null, asking.authFor({ request, origin, address: null }))
    // Clients can request any number of such pages, so these wait for a slot.
    const made = await (isOneOfMany ? turns.inTurn(null, 'GET', work) : work())
    if (!made || made instanceof Response || made.headers.has('set-cookie')) return null
    if (made.status >= 500) return { page: made, keep: false }
    if (![200, 404].includes(made.status)) return null
    return { page: made, keep: health.failures === failuresBefore }
  }

  return { afresh, shareable }
}

function answerFor(visitor: Visitor, { cookies }: Auth, response: Response) {
  if (!visitor && cookies.length === 0) return response
  // No cache may store a member's page: after signing out, the back button must not show it.
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
