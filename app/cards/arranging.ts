import type { SaveAnswer } from '../forms/save-answer.ts'

/**
 * What came of a form that arranges cards: `newer` where they were not any more what its editor saw; with success the last
 * `change` of the site, which data that were read before the save do not have in them.
 */
export type Arranged = SaveAnswer & { newer?: boolean; change?: string }

/** The ids with one of them `steps` places further down, up where negative; at the end it stays. */
export function moved(ids: string[], id: string, steps: number) {
  const from = ids.indexOf(id)
  if (from < 0) return ids
  const rest = ids.toSpliced(from, 1)
  return rest.toSpliced(Math.max(0, Math.min(from + steps, rest.length)), 0, id)
}
