import { useState } from 'react'

/** Something to be said once: shown until it is dismissed, and again when a new one comes. */
export function useDismissed<T extends object>(said: T | undefined) {
  const [dismissed, setDismissed] = useState<T>()
  return { shown: said === dismissed ? undefined : said, dismiss: () => setDismissed(said) }
}
