import { pause } from './keep-asking.ts'
import { tellReach } from './reach.ts'

declare global {
  interface Window {
    __reactRouterDataRouter?: {
      subscribe(listener: () => void): () => void
      match(path: string): { route: { id: string } }[] | null
      state: {
        navigation: { location?: { pathname: string; search: string; hash: string } }
        revalidation: 'idle' | 'loading'
        fetchers: Map<string, { state: string }>
      }
    }
  }
}

const RETRY_INTERVAL_MS = 2000

/**
 * Loads the script of a route, however long it takes. The build puts this function in the place of the router's own, which
 * reloads the document if the script does not come: without a connection that is the browser's error page. If the site
 * answers and has no such script, an update has replaced it: then the next page is loaded as a whole.
 */
export async function loadRouteModule({ id, module }: { id: string; module: string }, loaded: Record<string, unknown>) {
  while (!(id in loaded)) {
    try {
      loaded[id] = await import(/* @vite-ignore */ module)
    } catch {
      const next = goingTo()
      if (!(await isReached())) tellReach('unreachable')
      else if (next) location.assign(next.pathname + next.search + next.hash)
      await pause(RETRY_INTERVAL_MS)
    }
  }
  return loaded[id]
}

function isReached() {
  return fetch('/api/health', { cache: 'no-store' }).then(
    ({ status }) => status < 500 || status === 507,
    () => false,
  )
}

/** Returns where the router is on its way to; undefined if it stays. */
export function goingTo() {
  return window.__reactRouterDataRouter?.state.navigation.location
}
