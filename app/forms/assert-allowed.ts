import { data } from 'react-router'

/** Throws the reason why the visitor may not see a page's data; the root error boundary renders it in Japanese. */
export function assertAllowed(refusal: string | null) {
  // Status 200, because the page itself exists for everyone.
  if (refusal) throw data({ refusal }, 200)
}
