import { useState } from 'react'
import { useSave } from './use-save.ts'

export type Leaving = ReturnType<typeof useLeaving>

/**
 * The save of a list whose items go away with success. It is the list's, since an item may be gone before what became of
 * it is drawn; `of` is the item that it was about, as long as that is there: trouble stands beside its button.
 */
export function useLeaving(shown: readonly string[], intents?: readonly string[]) {
  const save = useSave({ leaves: true, ...(intents && { intents }) })
  const [pressed, press] = useState<string>()
  const about = pressed ?? save.answer?.intent
  return { save, press, of: about !== undefined && shown.includes(about) ? about : null }
}
