import { useState } from 'react'
import { useSave } from './use-save.ts'

export type Leaving = ReturnType<typeof useLeaving>

/**
 * Manages the save of a list, because its items may unmount before the response renders. `of` is the item concerned
 * while it is listed, so that an error appears beside its button. `intents` are those of `useSave`.
 */
export function useLeaving(shown: readonly string[], options: { intents?: readonly string[] } = {}) {
  const save = useSave({ leaves: true, ...options })
  const [pressed, press] = useState<string>()
  const about = pressed ?? save.answer?.intent
  return { save, press, of: about !== undefined && shown.includes(about) ? about : null }
}
