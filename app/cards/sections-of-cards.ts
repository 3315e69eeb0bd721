import type { Section } from '../sections/section.ts'
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
