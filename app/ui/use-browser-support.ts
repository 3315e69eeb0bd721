import { useSyncExternalStore } from 'react'

/** Returns whether `navigator` has this property. Returns false on the server and during hydration. */
export function useBrowserSupport(name: 'clipboard' | 'share') {
  return useSyncExternalStore(
    subscribeToNothing,
    () => name in navigator,
    () => false,
  )
}

const subscribeToNothing = () => () => {}
