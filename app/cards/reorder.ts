import type { SaveResult } from '../forms/save-result.ts'
import type { CardGroup } from './sections-of-cards.ts'

const TOKEN_PREFIX = 's:'

/** Returns the section ID of a token in a sequence, or null if the token is the ID of a card. */
export function sectionIdOf(token: string) {
  return token.startsWith(TOKEN_PREFIX) ? token.slice(TOKEN_PREFIX.length) : null
}

/** Returns the items of `ReorderList`: each section before its cards, with its token as ID. */
export function toSortable(groups: CardGroup[]) {
  return groups.flatMap(({ section, cards }) => [
    ...(section ? [{ ...section, id: `${TOKEN_PREFIX}${section.id}`, title: section.name, text1: '', image: '' }] : []),
    ...cards,
  ])
}

/** Returns the sequence of the groups for `reorderCards`: a token for each section, and the ID of each card. */
export function toSequence(groups: CardGroup[]) {
  return toSortable(groups).map(({ id }) => id)
}

/** `newer` is true if the editor has not seen the current order. `change` is the event cursor after the save. */
export type ReorderResult = SaveResult & { newer?: boolean; change?: string }

/** Moves an ID down by `steps`, at most to the end. A section moves with its cards, and its steps count sections. */
export function moveItem(ids: string[], id: string, steps: number): string[] {
  const from = ids.indexOf(id)
  if (from < 0) return ids
  if (!isSection(id)) return moveTo(ids, from, steps)
  const sections = sectionsIn(ids)
  const order = moveTo(sections, sections.indexOf(id), steps)
  return [...cardsFrom(ids, 0), ...order.flatMap((section) => [section, ...cardsFrom(ids, ids.indexOf(section) + 1)])]
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
  const start = isSection(id) ? -1 : ids.slice(0, ids.indexOf(id)).findLastIndex(isSection)
  const siblings = isSection(id) ? sectionsIn(ids) : cardsFrom(ids, start + 1)
  return { section: ids[start], position: siblings.indexOf(id) + 1, count: siblings.length }
}

const isSection = (id: string) => sectionIdOf(id) !== null
const sectionsIn = (ids: string[]) => ids.filter(isSection)

/** Returns the IDs of the cards from an index to the next section. */
function cardsFrom(ids: string[], start: number) {
  const rest = ids.slice(start)
  const end = rest.findIndex(isSection)
  return end < 0 ? rest : rest.slice(0, end)
}

function moveTo(ids: string[], from: number, steps: number) {
  const rest = ids.toSpliced(from, 1)
  return rest.toSpliced(Math.max(0, Math.min(from + steps, rest.length)), 0, ids[from] ?? '')
}
