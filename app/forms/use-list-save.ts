import { useState } from 'react'
import { useSave } from './use-save.ts'

export type ListSave = ReturnType<typeof useListSave>

/** Saves outside the items, because these may unmount before the response. `of` is null if its item is gone. */
export function useListSave(listed: readonly string[]) {
  const save = useSave({ intents: [], leaves: true })
  const [pressedItem, press] = useState<string>()
  return { save, press, of: pressedItem !== undefined && listed.includes(pressedItem) ? pressedItem : null }
}
