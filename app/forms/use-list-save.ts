import { useState } from 'react'
import { useSave } from './use-save.ts'

export type ListSave = ReturnType<typeof useListSave>

/** Creates one save for a list, whose items may unmount early. `of` is the ID of the pressed item, or null if gone. */
export function useListSave(listed: readonly string[]) {
  const save = useSave({ intents: [], leaves: true })
  const [pressedItem, press] = useState<string>()
  return { save, press, of: pressedItem !== undefined && listed.includes(pressedItem) ? pressedItem : null }
}
