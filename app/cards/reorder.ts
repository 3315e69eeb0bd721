import type { SaveResult } from '../forms/save-result.ts'
import { sectionIdOf } from './sections-of-cards.ts'

/**
 * Response to a reorder. `newer` is true if the editor has not seen the current order. `change` is the event cursor
 * after the save.
 */
export type ReorderResult = SaveResult & { newer?: boolean; change?: string }

/**
 * Returns the IDs with `id` moved down by `steps`. Negative `steps` move `id` up. The move stops at the end of the
 * list. A section moves with its cards, and its steps count sections.
 */
export function moveItem(ids: string[], id: string, steps: number): string[] {
  const from = ids.indexOf(id)
  if (from < 0) return ids
  if (isSection(id)) {
    const groups = sectionsIn(ids).map((token, index, tokens) => {
      const end = tokens[index + 1]
      return { token, ids: ids.slice(ids.indexOf(token), end ? ids.indexOf(end) : undefined) }
    })
    const tokens = groups.map(({ token }) => token)
    const moved = moveTo(tokens, tokens.indexOf(id), steps)
    const others = ids.slice(0, ids.indexOf(tokens[0] ?? ''))
    return [...others, ...moved.flatMap((token) => groups.find((group) => group.token === token)?.ids ?? [])]
  }
  return moveTo(ids, from, steps)
}

/** Returns the steps of a drop: the distance of the rows, or for a section, the distance of the sections. */
export function stepsTo(ids: string[], id: string, over: string) {
  const positionOf = (each: string) => {
    const index = ids.indexOf(each)
    return isSection(id) ? Math.max(0, sectionsIn(ids.slice(0, index + 1)).length - 1) : index
  }
  return positionOf(over) - positionOf(id)
}

/** Returns the section before an ID, its position there from 1, and the number of IDs there. */
export function placeOf(ids: string[], id: string) {
  const index = ids.indexOf(id)
  const start = isSection(id) ? -1 : ids.findLastIndex((each, position) => position < index && isSection(each))
  const rest = ids.slice(start + 1)
  const end = isSection(id) ? -1 : rest.findIndex(isSection)
  const siblings = isSection(id) ? sectionsIn(ids) : end < 0 ? rest : rest.slice(0, end)
  return { section: ids[start], position: siblings.indexOf(id) + 1, count: siblings.length }
}

const isSection = (id: string) => sectionIdOf(id) !== null
const sectionsIn = (ids: string[]) => ids.filter(isSection)

function moveTo(ids: string[], from: number, steps: number) {
  const rest = ids.toSpliced(from, 1)
  return rest.toSpliced(Math.max(0, Math.min(from + steps, rest.length)), 0, ids[from] ?? '')
}
