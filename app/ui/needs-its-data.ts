import type { ShouldRevalidateFunctionArgs } from 'react-router'

/**
 * For a page that is on its way to another of its addresses: it needs the data of that one also where a fetcher's action,
 * which was refused or asks for nothing anew, ends first and takes the router there. Not where nothing can be reached,
 * and not where the answer leads elsewhere: what the page was about may be gone.
 */
export function needsItsData(given: ShouldRevalidateFunctionArgs) {
  const { currentUrl, nextUrl, actionStatus, actionResult, defaultShouldRevalidate } = given
  const stays = currentUrl.href === nextUrl.href
  if (stays && actionResult?.to !== undefined) return false
  return defaultShouldRevalidate || (!stays && actionStatus !== 503)
}
