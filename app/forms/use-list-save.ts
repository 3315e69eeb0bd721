import { useState } from 'react'
import { useSave } from './use-save.ts'

export type ListSave = ReturnType<typeof useListSave>

/**
 * Manages the save of a list, because its items may unmount before the response renders. `of` is the item of the last
 * press, whose button shows an error; null if the item is no longer listed.
 */
export function useListSave(listed: readonly string[]) {
  const save = useSave({ intents: [], leaves: true })
  const [pressedItem, press] = useState<string>()
  return { save, press, of: pressedItem !== undefined && listed.includes(pressedItem) ? pressedItem : null }
}
