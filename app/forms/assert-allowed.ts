import { data } from 'react-router'
import type { Visitor } from '../permissions.ts'

/** Throws the reason why the visitor may not see the data of a page. The root error boundary renders the reason. */
export function assertAllowed(refusal: string | null) {
  // The status is 200, because the page exists for all visitors.
  if (refusal) throw data({ refusal }, 200)
}

/** Throws the reason as a plain response if the visitor may not download a file. */
export function assertDownload(visitor: Visitor, refusal: string | null) {
  if (refusal) throw new Response(refusal, { status: visitor ? 403 : 401 })
}
