import type { ShouldRevalidateFunctionArgs } from 'react-router'

/**
 * Whether a page must revalidate: also if its URL is changing when a fetcher's action ends without revalidation. The
 * router would otherwise finish the navigation with the old URL's data. Status 503 means that the site is unreachable.
 */
export function needsItsData(given: ShouldRevalidateFunctionArgs) {
  const { currentUrl, nextUrl, actionStatus, defaultShouldRevalidate } = given
  return defaultShouldRevalidate || (currentUrl.href !== nextUrl.href && actionStatus !== 503)
}
