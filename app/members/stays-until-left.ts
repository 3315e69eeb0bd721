import type { ShouldRevalidateFunctionArgs } from 'react-router'
import type { SaveAnswer } from '../saving/save-answer.ts'
import { needsItsData } from '../ui/needs-its-data.ts'

/** For a page whose form leads on: what was sent is no draft any more, or another, and the page is left as it was. */
export function staysUntilLeft(given: ShouldRevalidateFunctionArgs) {
  const { currentUrl, nextUrl, actionResult } = given
  const leadsOn = (actionResult as SaveAnswer | undefined)?.to !== undefined
  return !(leadsOn && currentUrl.href === nextUrl.href) && needsItsData(given)
}
