import { pause } from './keep-asking.ts'
import { tellReach } from './reach.ts'

declare global {
  interface Window {
    __reactRouterDataRouter?: {
      subscribe(listener: () => void): () => void
      state: {
        navigation: { location?: { pathname: string; search: string; hash: string } }
        revalidation: 'idle' | 'loading'
        fetchers: Map<string, { state: string }>
      }
    }
  }
}

const LOOKS_EVERY = 2000

/**
 * Keeps the page where the script of the next one does not come: the router would load the document anew, which without
 * a connection is the browser's own error page. Once the site is reached, the next page is loaded as a whole; that is
 * also how a page opened before an update gets on.
 */
export function keepPageWithoutScript() {
  // A browser without this API does as the router says.
  window.navigation?.addEventListener('navigate', (event) => {
    if (event.navigationType !== 'reload' || event.userInitiated || !event.cancelable) return
    event.preventDefault()
    goOnceReached(wanted())
  })
}

async function goOnceReached(address: string) {
  while (address === wanted()) {
    const reached = await fetch('/api/health', { cache: 'no-store' }).then(
      ({ status }) => status < 500 || status === 507,
      () => false,
    )
    if (reached) return location.assign(address)
    tellReach('unreachable')
    await pause(LOOKS_EVERY)
  }
}

/** Where the router is on its way to; undefined where it stays. */
export function goingTo() {
  return window.__reactRouterDataRouter?.state.navigation.location
}

function wanted() {
  const going = goingTo()
  return going ? going.pathname + going.search + going.hash : location.href
}
