import { useRevalidationOn } from './use-live.ts'

export default function SameVisitor() {
  useRevalidationOn('', (notification) => notification === 'visitor')
  return null
}
