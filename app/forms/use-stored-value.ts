import { useLayoutEffect, useRef } from 'react'
import type { Saving } from './use-save.ts'

/** Returns a ref for an uncontrolled control, which follows its stored value unless the control has unsent input. */
export function useStoredValue<Control extends HTMLElement & { value: string }>(stored: string, save: Saving) {
  const { isRevalidating } = save
  const isSaved = save.answer?.done !== undefined && !save.isTyped
  const ref = useRef<Control>(null)
  const previous = useRef(stored)
  useLayoutEffect(() => {
    const control = ref.current
    const hasUnsentInput = !isSaved && control?.value !== previous.current
    // After an undo that was faster than the load of the saved value, the stored value has not changed.
    const isLoaded = isSaved && !isRevalidating
    if (control && (isLoaded || (stored !== previous.current && !hasUnsentInput))) control.value = stored
    previous.current = stored
  }, [stored, isRevalidating])
  return ref
}
