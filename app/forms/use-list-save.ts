import { useState } from 'react'
import { useSave } from './use-save.ts'

export type ListSave = ReturnType<typeof useListSave>

/**
 * Manages the save of a list, because its items may unmount before the response renders. `of` is the item concerned
 * while it is listed, so that an error appears beside its button. `intents` are those of `useSave`.
 */
export function useListSave(listed: readonly string[]) {
  const save = useSave({ intents: [], leaves: true })
  const [pressedItem, press] = useState<string>()
  return { save, press, of: pressedItem !== undefined && listed.includes(pressedItem) ? pressedItem : null }
}
