import { useSyncExternalStore } from 'react'

/** How the site was when a page's data, or its script, were last asked for. */
export type Reach = 'reached' | 'unreachable' | 'failing'

let reach: Reach = 'reached'
const listeners = new Set<() => void>()

/** Tells those who show it. */
export function tellReach(now: Reach) {
  if (now === reach) return
  reach = now
  for (const listener of listeners) listener()
}

/** How the site is, as far as it is known. */
export function useReach() {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => reach,
    () => 'reached' as const,
  )
}
