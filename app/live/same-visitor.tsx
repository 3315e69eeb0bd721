import { useRevalidationOn } from './use-live.ts'

/** Revalidates the page when its visitor has signed out or has other permissions. */
export default function SameVisitor() {
  useRevalidationOn('', (news) => news === 'visitor')
  return null
}
