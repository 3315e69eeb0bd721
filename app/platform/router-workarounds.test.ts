// These tests run the real router of framework mode with a stubbed fetch. They reproduce each fault without its
// workaround. If React Router fixes a fault, its test fails and the workaround can be removed.

import { readFileSync } from 'node:fs'
import {
  type UNSAFE_AssetsManifest as AssetsManifest,
  UNSAFE_createClientRoutes as createClientRoutes,
  createMemoryRouter,
  type DataRouter,
  type UNSAFE_RouteModules as RouteModules,
  type ShouldRevalidateFunction,
  type ShouldRevalidateFunctionArgs,
  UNSAFE_getTurboStreamSingleFetchDataStrategy as singleFetch,
} from 'react-router'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  addDefaultRevalidation,
  isDialogChange,
  keepOpenForm,
  loadRouteModule,
  preloadPage,
  preloadScripts,
  replaceFailures,
  retryRouteData,
  shouldRevalidate,
} from './router-workarounds.ts'

const server = vi.fn<(url: URL, method: string) => Promise<Response>>()
const [NOVEMBER, DECEMBER] = ['/page?month=11', '/page?month=12']
const ROUTER_SOURCES = 'node_modules/react-router/dist/production/lib'
const OTHER_SCRIPT = 'data:text/javascript,export default () => null'

/** Names of the router's global variables, read from the source of `HydratedRouter`. */
const hydrated = readFileSync(`${ROUTER_SOURCES}/dom-export/hydrated-router.js`, 'utf8')
const matchIn = (pattern: RegExp) => pattern.exec(hydrated)?.[1] ?? expect.fail(`No ${pattern} in the router's source`)
const globalNames = {
  router: matchIn(/window\.(\w+) = router;/),
  manifest: matchIn(/\bmanifest: window\.(\w+)/),
  modules: matchIn(/\brouteModules: window\.(\w+)/),
}

beforeEach(() => {
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('location', new URL(NOVEMBER, 'http://localhost'))
  const target = new EventTarget()
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target))
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target))
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => {
    return server(new URL(input, location.href), init?.method ?? 'GET')
  })
  server.mockImplementation(async (url, method) => (method === 'GET' ? pageData(url.search) : actionData('saved')))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  server.mockReset()
})

/** Returns a response in the server's format for the route `page`. */
const pageData = (text: string) => new Response(`[{"_1":2},"page",{"_3":4},"data",${JSON.stringify(text)}]\n`)
const actionData = (text: string) => new Response(`[{"_1":2},"data",${JSON.stringify(text)}]\n`)

/** Starts the router on the calendar page of November, as `HydratedRouter` does. */
function startRouter(modules = pageWith(), otherScript = OTHER_SCRIPT) {
  const route = (id: string, module: string) => ({ id, path: `${id}/*`, module, hasLoader: true, hasAction: true })
  const routes = { page: route('page', '/page.js'), other: route('other', otherScript) }
  const manifest = { routes } as unknown as AssetsManifest
  const clientRoutes = createClientRoutes(manifest.routes, modules, {} as never, true, false)
  const router: DataRouter = createMemoryRouter(clientRoutes, {
    initialEntries: [NOVEMBER],
    hydrationData: { loaderData: { page: 'November' } },
    dataStrategy: singleFetch(() => router, manifest, modules, true),
  })
  vi.stubGlobal(globalNames.router, router)
  vi.stubGlobal(globalNames.manifest, manifest)
  vi.stubGlobal(globalNames.modules, modules)
  return router
}

const pageWith = (decide?: ShouldRevalidateFunction) =>
  ({
    page: {
      default: () => null,
      handle: { parameters: { event: 'dialog' } },
      ...(decide && { shouldRevalidate: decide }),
    },
  }) as unknown as RouteModules

const submit = (router: DataRouter) =>
  router.fetch('form', 'page', '/page', {
    formMethod: 'post',
    formData: new FormData(),
    defaultShouldRevalidate: false,
  })

/** Delays the next response to a request with this method. Returns a function that releases the response. */
function delayResponse(method: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const respond = server.getMockImplementation()
  let isDelayed = false
  server.mockImplementation(async (url, requestMethod) => {
    if (requestMethod === method && !isDelayed) {
      isDelayed = true
      await promise
    }
    return respond?.(url, requestMethod) ?? Response.error()
  })
  return resolve
}

describe('retryRouteData', () => {
  const failures = [
    ['lost connection', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['failing server', () => Promise.resolve(new Response('', { status: 500 }))],
  ] as const

  test.each(failures)('leaves the page in place until a retry succeeds after a %s', async (_, fail) => {
    vi.useFakeTimers()
    const router = startRouter()
    server.mockImplementationOnce(fail)
    await router.navigate('/page?unpatched')
    expect(router.state.errors).not.toBeNull()

    retryRouteData()
    server.mockImplementationOnce(fail)
    const navigation = router.navigate(DECEMBER)
    await vi.advanceTimersByTimeAsync(900)
    expect(router.state.navigation.state).toBe('loading')
    await vi.advanceTimersByTimeAsync(200)
    await navigation
    expect(router.state).toMatchObject({ errors: null, loaderData: { page: '?month=12' } })
  })
})

describe('loadRouteModule', () => {
  test('replaces only the router export that reloads the document', () => {
    const source = readFileSync(`${ROUTER_SOURCES}/dom/ssr/routeModules.js`, 'utf8')
    expect(source.match(/^export .*$/gm)).toEqual(['export { loadRouteModule };'])
    expect(source).toContain('window.location.reload()')
    expect(readFileSync('vite.config.ts', 'utf8')).toContain("id.endsWith('/dom/ssr/routeModules.js')")
  })

  test('adds the default `shouldRevalidate` to the module', async () => {
    const modules: RouteModules = {}
    expect(await loadRouteModule({ id: 'other', module: OTHER_SCRIPT }, modules)).toMatchObject({ shouldRevalidate })
    expect(modules.other?.default).toBeTypeOf('function')
  })
})

describe('preloadScripts', () => {
  test('loads the missing scripts of a page into the modules of the router', async () => {
    const modules = pageWith()
    startRouter(modules)
    expect(preloadScripts(NOVEMBER)).toBe(true)
    expect(await preloadScripts('/other')).toBe(true)
    expect(modules.other?.default).toBeTypeOf('function')
    expect(preloadScripts('/other')).toBe(true)
  })

  test('resolves to false if a script fails to load', async () => {
    startRouter(pageWith(), '/missing.js')
    expect(await preloadScripts('/other')).toBe(false)
  })
})

describe('preloadPage', () => {
  test('requests the same URL as the router', async () => {
    const router = startRouter()
    preloadPage(DECEMBER)
    await router.navigate(DECEMBER)
    const [preloaded, requested] = server.mock.calls.map(([url]) => url.href)
    expect(preloaded).toBe(requested)
  })
})

describe('replaceFailures', () => {
  test('replaces the error of a failed submission by data', async () => {
    const router = startRouter()
    server.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    await submit(router)
    expect(router.state.errors).not.toBeNull()

    const patched = startRouter()
    const respond = vi.fn((error: unknown): [unknown, number] => [error instanceof TypeError ? 'lost' : 'other', 503])
    Object.assign(patched.routes[0] ?? {}, { middleware: [replaceFailures(respond)] })
    const { promise, resolve } = Promise.withResolvers<unknown>()
    patched.subscribe(({ fetchers }) => fetchers.get('form')?.data && resolve(fetchers.get('form')?.data))
    server.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    await submit(patched)
    expect(await promise).toBe('lost')
    expect(patched.state.errors).toBeNull()
  })
})

describe('keepOpenForm', () => {
  const revalidateDeleted = async (path: string, middleware: (typeof keepOpenForm)[]) => {
    const router = startRouter()
    Object.assign(router.routes[0] ?? {}, { middleware })
    await router.navigate(path)
    server.mockResolvedValueOnce(new Response('', { status: 404 }))
    await router.revalidate()
    const { errors, loaderData } = router.state
    return { error: errors?.page as unknown, data: loaderData.page as unknown }
  }

  test('keeps the data of a form whose record has been deleted', async () => {
    const path = '/page/1/edit?text=1'
    expect(await revalidateDeleted(path, [])).toMatchObject({ error: { status: 404 } })
    expect(await revalidateDeleted(path, [keepOpenForm])).toEqual({ error: undefined, data: '?text=1' })
  })

  test('does not keep the data of a page without a form', async () => {
    expect(await revalidateDeleted('/page/1?text', [keepOpenForm])).toMatchObject({ error: { status: 404 } })
  })

  test('does not keep the data of another form', async () => {
    const router = startRouter()
    Object.assign(router.routes[0] ?? {}, { middleware: [keepOpenForm] })
    await router.navigate('/page/1/edit')
    server.mockResolvedValueOnce(new Response('', { status: 404 }))
    await router.navigate('/page/2/edit')
    expect(router.state.errors?.page).toMatchObject({ status: 404 })
  })
})

describe('shouldRevalidate', () => {
  const arriveDuringSubmission = async (decide: ShouldRevalidateFunction | undefined) => {
    const router = startRouter(pageWith(decide))
    const release = delayResponse('GET')
    const navigation = router.navigate(DECEMBER)
    await submit(router)
    release()
    await navigation
    expect(router.state.location.search).toBe('?month=12')
    return router.state.loaderData.page
  }

  test('loads the data of the next URL when a submission ends during the navigation', async () => {
    expect(await arriveDuringSubmission(undefined)).toBe('November')
    expect(await arriveDuringSubmission(shouldRevalidate)).toBe('?month=12')
  })

  const openDuringRevalidation = async (decide: ShouldRevalidateFunction) => {
    const router = startRouter(pageWith(decide))
    const release = delayResponse('GET')
    const revalidated = router.revalidate()
    await router.navigate(`${NOVEMBER}&event=1`)
    release()
    await revalidated
    return router.state.loaderData.page
  }

  test('repeats a load that a dialog has aborted', async () => {
    expect(await openDuringRevalidation(() => false)).toBe('November')
    expect(await openDuringRevalidation(shouldRevalidate)).toBe('?month=11&event=1')
  })

  const decide = (from: string, to: string, options: { actionStatus?: number; defaultShouldRevalidate?: boolean }) =>
    shouldRevalidate({
      currentUrl: new URL(from, 'http://localhost'),
      nextUrl: new URL(to, 'http://localhost'),
      defaultShouldRevalidate: false,
      ...options,
    } as ShouldRevalidateFunctionArgs)

  test('returns true for a new URL after any response to a fetcher', () => {
    expect(decide(NOVEMBER, DECEMBER, { actionStatus: 409 })).toBe(true)
    expect(decide(NOVEMBER, DECEMBER, {})).toBe(true)
  })

  test('returns false when the site is unreachable, and the default of the router when the URL stays the same', () => {
    expect(decide(NOVEMBER, DECEMBER, { actionStatus: 503 })).toBe(false)
    expect(decide(NOVEMBER, NOVEMBER, { actionStatus: 409 })).toBe(false)
    expect(decide(NOVEMBER, NOVEMBER, { actionStatus: 200, defaultShouldRevalidate: true })).toBe(true)
  })

  test('returns false when a dialog opens', () => {
    startRouter()
    expect(decide(NOVEMBER, `${NOVEMBER}&event=1`, { defaultShouldRevalidate: true })).toBe(false)
  })

  test('becomes the default of the routes in the document', () => {
    const ownRule = () => true
    const modules = pageWith(ownRule)
    Object.assign(modules, { other: { default: () => null } })
    startRouter(modules)
    addDefaultRevalidation()
    expect(modules.page?.shouldRevalidate).toBe(ownRule)
    expect(modules.other?.shouldRevalidate).toBe(shouldRevalidate)
  })
})

describe('isDialogChange', () => {
  const isDialogChangeBetween = (
    from: string,
    to: string,
    state: object = { revalidation: 'idle', fetchers: new Map() },
  ) => {
    const matches = [
      { route: {} },
      { route: { handle: { parameters: { month: 'key', event: 'dialog', pick: 'dialog' } } } },
    ]
    vi.stubGlobal(globalNames.router, { state: { matches, ...state } })
    const [currentUrl, nextUrl] = [new URL(from, 'http://localhost'), new URL(to, 'http://localhost')]
    return isDialogChange({ currentUrl, nextUrl })
  }

  test('returns true when a dialog opens, changes or closes', () => {
    expect(isDialogChangeBetween('/calendar', '/calendar?event=1')).toBe(true)
    expect(isDialogChangeBetween('/calendar?month=2026-11&event=1', '/calendar?month=2026-11&event=2')).toBe(true)
    expect(isDialogChangeBetween('/calendar?month=2026-11&pick=', '/calendar?month=2026-11')).toBe(true)
  })

  test('returns false for another month, another page and the same URL', () => {
    expect(isDialogChangeBetween('/calendar?month=2026-11&event=1', '/calendar?month=2026-12')).toBe(false)
    expect(isDialogChangeBetween('/calendar?event=1', '/dining')).toBe(false)
    expect(isDialogChangeBetween('/calendar?event=1', '/calendar?event=1')).toBe(false)
  })

  test('returns false during a load', () => {
    const [from, to] = ['/calendar', '/calendar?event=1']
    expect(isDialogChangeBetween(from, to, { revalidation: 'loading', fetchers: new Map() })).toBe(false)
    expect(
      isDialogChangeBetween(from, to, { revalidation: 'idle', fetchers: new Map([['a save', { state: 'loading' }]]) }),
    ).toBe(false)
  })
})
