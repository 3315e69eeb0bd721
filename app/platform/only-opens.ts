import type { ShouldRevalidateFunctionArgs } from 'react-router'

/** Whether a navigation only opens or closes a dialog. False during a load, which the router would abort for good. */
export function onlyOpens({ currentUrl, nextUrl }: Pick<ShouldRevalidateFunctionArgs, 'currentUrl' | 'nextUrl'>) {
  return currentUrl.search !== nextUrl.search && pageOf(currentUrl) === pageOf(nextUrl) && !isReading()
}

function pageOf({ pathname, searchParams }: URL) {
  const query = new URLSearchParams(searchParams)
  const matches = window.__reactRouterDataRouter?.state.matches ?? []
  for (const [name, use] of Object.entries(matches.at(-1)?.route.handle?.parameters ?? {}))
    if (use === 'dialog') query.delete(name)
  return `${pathname}?${query}`
}

function isReading() {
  const { revalidation, fetchers } = window.__reactRouterDataRouter?.state ?? {}
  return revalidation === 'loading' || [...(fetchers?.values() ?? [])].some(({ state }) => state !== 'idle')
}
