import type { Section } from '../sections/section.ts'
import { isShown } from '../sections/shown.ts'
import type { Card } from './card.ts'

export type CardGroup = { section: Section | null; cards: Card[] }

/** Groups sorted cards by section. Cards without a section, or with a deleted one, come first in a group of their own. */
export function groupBySection(sections: Section[], cards: Card[]): CardGroup[] {
  const ids = new Set(sections.map(({ id }) => id))
  const others = cards.filter(({ section }) => !ids.has(section))
  return [
    ...(others.length > 0 ? [{ section: null, cards: others }] : []),
    ...sections.map((section) => ({ section, cards: cards.filter((card) => card.section === section.id) })),
  ]
}

/** Whether guests see a card at the time `now` in Japan (YYYY-MM-DDTHH:MM). A hidden section hides its cards. */
export function isCardShown(card: Card, sections: Section[], now: string) {
  const section = sections.find(({ id }) => id === card.section)
  return isShown(card, now) && (!section || isShown(section, now))
}

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
