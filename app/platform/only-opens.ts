import type { ShouldRevalidateFunctionArgs } from 'react-router'

// What an address opens on a page that has come with it.
const OPENED = ['event', 'pick']

/**
 * Whether an address only opens, or closes, what lies on the page that is shown: nothing is asked for then, and it opens
 * without a connection too. While data are being read it does not count as that: the router gives such a reading up for
 * where it goes, and would not take it up again.
 */
export function onlyOpens({ currentUrl, nextUrl }: Pick<ShouldRevalidateFunctionArgs, 'currentUrl' | 'nextUrl'>) {
  return currentUrl.search !== nextUrl.search && pageOf(currentUrl) === pageOf(nextUrl) && !isReading()
}

function pageOf({ pathname, searchParams }: URL) {
  const query = new URLSearchParams(searchParams)
  for (const name of OPENED) query.delete(name)
  return `${pathname}?${query}`
}

function isReading() {
  const { revalidation, fetchers } = window.__reactRouterDataRouter?.state ?? {}
  return revalidation === 'loading' || [...(fetchers?.values() ?? [])].some(({ state }) => state !== 'idle')
}
