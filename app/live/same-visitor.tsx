import { useSameVisitor } from './use-live.ts'

export default function SameVisitor() {
  useSameVisitor()
  return null
}
