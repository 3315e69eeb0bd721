import type { ShouldRevalidateFunctionArgs } from 'react-router'

// Query parameters that open a dialog whose data is already loaded.
const OPENED = ['event', 'pick']

/** Whether a navigation only opens or closes a dialog. False during a load, which the router would abort for good. */
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
