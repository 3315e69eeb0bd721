import { useSyncExternalStore } from 'react'

/** Something that several parts of a page show, and that is told from anywhere; `atFirst` where the server makes the page. */
export function sharedValue<Value>(atFirst: Value) {
  let value = atFirst
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    tell(next: Value) {
      if (next === value) return
      value = next
      for (const listener of listeners) listener()
    },
    useValue: () =>
      useSyncExternalStore(
        listen,
        () => value,
        () => atFirst,
      ),
  }
}
