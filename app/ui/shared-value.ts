import { useSyncExternalStore } from 'react'

/** Creates a value that any module can set and components subscribe to; `atFirst` is also its value on the server. */
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
