import { useRevalidationOn } from './use-live.ts'

/** Revalidates the page when the visitor has signed in or out, or when the permissions have changed. */
export default function SameVisitor() {
  useRevalidationOn('', (notification) => notification === 'visitor')
  return null
}
