import { useSyncExternalStore } from 'react'

/** Returns whether the browser has this feature. Returns false on the server and during hydration. */
export function useBrowserSupport(name: 'clipboard' | 'share' | 'print' | 'PublicKeyCredential') {
  return useSyncExternalStore(
    subscribeToNothing,
    () => name in navigator || name in window,
    () => false,
  )
}

const subscribeToNothing = () => () => {}
