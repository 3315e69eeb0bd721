import { useState } from 'react'
import { useSave } from './use-save.ts'

export type ListSave = ReturnType<typeof useListSave>

/** An item may unmount before the response arrives. `of` is the ID of the pressed item, or null if the item is gone. */
export function useListSave(listed: readonly string[]) {
  const save = useSave({ intents: [], leaves: true })
  const [pressedItem, press] = useState<string>()
  return { save, press, of: pressedItem !== undefined && listed.includes(pressedItem) ? pressedItem : null }
}
