import type { ShouldRevalidateFunctionArgs } from 'react-router'

/**
 * For a page that is on its way to another of its addresses: it needs the data of that one also where a fetcher's action,
 * which was refused or asks for nothing anew, ends first and takes the router there. Not where nothing can be reached.
 */
export function needsItsData(given: ShouldRevalidateFunctionArgs) {
  const { currentUrl, nextUrl, actionStatus, defaultShouldRevalidate } = given
  return defaultShouldRevalidate || (currentUrl.href !== nextUrl.href && actionStatus !== 503)
}
