// All code that relies on undocumented parts of React Router 8.4. Each docstring names the fault of the router.
// router-workarounds.test.ts and tests/e2e/when-it-fails.spec.ts fail when the router changes (decision 0010).

import { useSyncExternalStore } from 'react'
import {
  type UNSAFE_AssetsManifest as AssetsManifest,
  type DataRouter,
  type DataStrategyResult,
  data,
  isRouteErrorResponse,
  type MiddlewareFunction,
  type UNSAFE_RouteModules as RouteModules,
  type ShouldRevalidateFunctionArgs,
} from 'react-router'
import { setConnectionState } from './connection-state.ts'

declare global {
  interface Window {
    __reactRouterDataRouter?: DataRouter
    __reactRouterManifest?: AssetsManifest
    __reactRouterRouteModules?: RouteModules
  }
}

const FIRST_RETRY_MS = 1000
const MAX_RETRY_MS = 10_000

/**
 * Retries failed requests for route data. Wraps the global fetch, because the router accepts no other fetch function:
 * https://github.com/remix-run/remix/issues/7188
 */
export function retryRouteData() {
  const fetchOnce = window.fetch
  window.fetch = async (input, init) => {
    if (!isRouteData(input, init)) return fetchOnce(input, init)
    for (let delay = FIRST_RETRY_MS; ; delay = Math.min(2 * delay, MAX_RETRY_MS)) {
      const response = await fetchOnce(input, init).catch((error: unknown) => {
        if (init?.signal?.aborted || !(error instanceof TypeError)) throw error
        return null
      })
      if (response && response.status < 500) {
        setConnectionState('reached')
        return response
      }
      setConnectionState(response ? 'failing' : 'unreachable')
      await pause(delay, init?.signal)
    }
  }
}

function isRouteData(input: RequestInfo | URL, init: RequestInit | undefined) {
  return input instanceof URL && (init?.method ?? 'GET') === 'GET' && input.pathname.endsWith('.data')
}

function pause(ms: number, signal?: AbortSignal | null) {
  return new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}

type RouteScript = { id: string; module: string }

const SCRIPT_RETRY_MS = 2000

/**
 * Loads the script of a route. The build replaces the router's function by this one, because the router's function
 * reloads the page even when offline: https://github.com/remix-run/remix/pull/8932
 */
export async function loadRouteModule(script: RouteScript, modules: RouteModules) {
  while (!(script.id in modules)) {
    try {
      await addRouteModule(script, modules)
    } catch {
      const next = pendingLocation()
      // If the site is reachable, an update has replaced the script, so the next page is loaded as a document.
      if (!(await isReached())) setConnectionState('unreachable')
      else if (next) location.assign(next.pathname + next.search + next.hash)
      await pause(SCRIPT_RETRY_MS)
    }
  }
  return modules[script.id]
}

async function addRouteModule({ id, module }: RouteScript, modules: RouteModules) {
  modules[id] = withRevalidation(await import(/* @vite-ignore */ module))
}

function isReached() {
  return fetch('/api/health', { cache: 'no-store' }).then(
    ({ status }) => status < 500 || status === 507,
    () => false,
  )
}

function pendingLocation() {
  return window.__reactRouterDataRouter?.state.navigation.location
}

/** Returns the URL of the pending navigation. `useNavigation` may lose it while React renders the old page. */
export function usePendingLocation() {
  return useSyncExternalStore(subscribe, pendingLocation, () => undefined)
}

function subscribe(notify: () => void) {
  return window.__reactRouterDataRouter?.subscribe(notify) ?? (() => {})
}

const INTENT_DELAY_MS = 100

export function preloadLinks() {
  let timer: ReturnType<typeof setTimeout>
  const schedule = ({ target }: Event) => {
    clearTimeout(timer)
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[data-warm]')
    if (link) timer = setTimeout(preloadPage, INTENT_DELAY_MS, link.href)
  }
  addEventListener('pointerover', schedule)
  addEventListener('focusin', schedule)
}

/**
 * Preloads the scripts and the data of a page. Prefetch links would not work: the CSP blocks the links in Firefox, and
 * Safari has a bug, https://github.com/withastro/astro/issues/10464
 */
export function preloadPage(url: string) {
  const { pathname, search } = new URL(url, location.href)
  if (pathname + search === location.pathname + location.search) return
  void preloadScripts(url)
  fetch(`${pathname.replace(/\/$/, '/_')}.data${search}`)
    .then((response) => response.text())
    .catch(() => {})
}

/** Loads missing scripts of a page. Returns true if none is missing. The router would wait for them even offline. */
export function preloadScripts(url: string): true | Promise<boolean> {
  const {
    __reactRouterDataRouter: router,
    __reactRouterManifest: manifest,
    __reactRouterRouteModules: modules,
  } = window
  if (!router || !manifest || !modules) return true
  const ids = (router.match(new URL(url, location.href).pathname) ?? []).map(({ route }) => route.id)
  const scripts = ids.flatMap((id) => (id in modules ? [] : (manifest.routes[id] ?? [])))
  if (scripts.length === 0) return true
  return Promise.all(scripts.map((script) => addRouteModule(script, modules))).then(
    () => true,
    () => false,
  )
}

/**
 * Replaces the error of a failed submission by data, because the router would replace the page and its input by an
 * error page: https://github.com/remix-run/remix/issues/517
 */
export function replaceFailures(
  createResult: (error: unknown) => [result: unknown, status: number],
): MiddlewareFunction<Record<string, DataStrategyResult>> {
  return async ({ request }, next) => {
    const results = await next()
    if (request.method === 'GET') return results
    return Object.fromEntries(
      Object.entries(results).map(([id, result]) => {
        // At this point, the router still represents a redirect as an error.
        if (result.type !== 'error' || result.result instanceof Response) return [id, result]
        // An error status stops the router from revalidating.
        return [id, { type: 'data', result: data(...createResult(unwrapError(result.result))) }]
      }),
    )
  }
}

const FORM_PATH = /\/edit$|^\/membercreate\//

/**
 * Keeps the data of an open form if another author has deleted its record, because the router would replace the form and
 * its input by an error page. The next save reports the deletion.
 */
export const keepOpenForm: MiddlewareFunction<Record<string, DataStrategyResult>> = async ({ request }, next) => {
  const results = await next()
  const { location, loaderData } = window.__reactRouterDataRouter?.state ?? {}
  const { pathname } = new URL(request.url)
  if (request.method !== 'GET' || pathname !== location?.pathname || !FORM_PATH.test(pathname)) return results
  return Object.fromEntries(
    Object.entries(results).map(([id, { type, result }]) => {
      const isDeleted = type === 'error' && isRouteErrorResponse(result) && result.status === 404
      return [id, isDeleted && loaderData?.[id] ? { type: 'data', result: loaderData[id] } : { type, result }]
    }),
  )
}

// If fetch throws an error, the router wraps the error in an artificial response.
function unwrapError(error: unknown) {
  const wrapped = (error as { data?: unknown } | undefined)?.data
  return wrapped instanceof Error ? wrapped : error
}

/**
 * Whether a navigation only opens or closes a dialog, through a parameter that the page's `handle` declares. Returns
 * false during a load, because the router would abort the load and never repeat it.
 */
export function isDialogChange({ currentUrl, nextUrl }: Pick<ShouldRevalidateFunctionArgs, 'currentUrl' | 'nextUrl'>) {
  return currentUrl.search !== nextUrl.search && pageOf(currentUrl) === pageOf(nextUrl) && !isLoading()
}

function pageOf({ pathname, searchParams }: URL) {
  const query = new URLSearchParams(searchParams)
  const { parameters = {} } = window.__reactRouterDataRouter?.state.matches.at(-1)?.route.handle ?? {}
  for (const [name, use] of Object.entries(parameters)) if (use === 'dialog') query.delete(name)
  return `${pathname}?${query}`
}

function isLoading() {
  const { revalidation, fetchers } = window.__reactRouterDataRouter?.state ?? {}
  return revalidation === 'loading' || [...(fetchers?.values() ?? [])].some(({ state }) => state !== 'idle')
}

/**
 * Whether a route loads its data again. After a fetcher's action, the router would finish a navigation with old data.
 * The status 503 means that the site is unreachable.
 */
export function shouldRevalidate(args: ShouldRevalidateFunctionArgs) {
  const { currentUrl, nextUrl, actionStatus, defaultShouldRevalidate } = args
  if (isDialogChange(args)) return false
  return defaultShouldRevalidate || (currentUrl.href !== nextUrl.href && actionStatus !== 503)
}

/** Makes `shouldRevalidate` the default of all routes in the document. The router has no default for all routes. */
export function addDefaultRevalidation() {
  const modules = window.__reactRouterRouteModules ?? {}
  for (const [id, module] of Object.entries(modules)) if (module) modules[id] = withRevalidation(module)
}

function withRevalidation<Module extends object>(module: Module) {
  return { shouldRevalidate, ...module }
}
