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
        matches: { route: { handle?: { parameters?: Record<string, string> } } }[]
        fetchers: Map<string, { state: string }>
      }
    }
  }
}

const RETRY_INTERVAL_MS = 2000

/**
 * Loads a route's script with retries. The build replaces React Router's function, which reloads the document even when
 * offline. On a reachable site, a missing script was replaced by an update, so the next page is loaded as a document.
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

/** Returns the target of the current navigation; undefined if there is none. */
export function goingTo() {
  return window.__reactRouterDataRouter?.state.navigation.location
}
