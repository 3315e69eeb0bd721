import { data } from 'react-router'

/** Throws the reason why the visitor may not see the data of a page. The root error boundary renders the reason. */
export function assertAllowed(refusal: string | null) {
  // The status is 200, because the page exists for all visitors.
  if (refusal) throw data({ refusal }, 200)
}
