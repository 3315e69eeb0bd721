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
