import type { SaveResult } from '../forms/save-result.ts'

/**
 * Response to a reorder. `newer` is true if the editor has not seen the current order. `change` is the event cursor
 * after the save.
 */
export type ReorderResult = SaveResult & { newer?: boolean; change?: string }

/**
 * Returns the IDs with `id` moved down by `steps`. Negative `steps` move `id` up. The move stops at the end of the
 * list.
 */
export function moveItem(ids: string[], id: string, steps: number) {
  const from = ids.indexOf(id)
  if (from < 0) return ids
  const rest = ids.toSpliced(from, 1)
  return rest.toSpliced(Math.max(0, Math.min(from + steps, rest.length)), 0, id)
}
