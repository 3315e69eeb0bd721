import { useSameVisitor } from './use-live.ts'

/** Where it stands, what is private leaves the page as soon as its visitor may not see it any more. */
export default function SameVisitor() {
  useSameVisitor()
  return null
}
