import { allergens as requiredAllergens } from '../cards/allergens.ts'
import type { Card } from '../cards/card.ts'
import { timeInJapan } from '../dates/japan.ts'
import type { Slot, Slots } from '../hours/business-day.ts'
import type { Section } from '../sections/section.ts'

/**
 * Returns when the dishes of a section are served on the present business day, or null if at any time or unknown. `slots`
 * is null if the shop is closed on this day.
 */
export function servedSlot({ served, servedFrom, servedUntil }: Section, slots: Slots | null): Slot | null {
  if (!slots || served === 'any') return null
  const slot = served === 'own' ? { start: servedFrom, end: servedUntil } : slots[served === 'slot1' ? 0 : 1]
  return slot && slot.start !== slot.end ? slot : null
}

/** Whether a slot of the present business day runs at an instant in milliseconds since 1970. */
export function isRunning({ start, end }: Slot, now: number) {
  const time = timeInJapan(now).slice(11)
  return start < end ? start <= time && time < end : start <= time || time < end
}

/** Labels of the further exclusions, and whether they exclude a dish with these marks. */
const exclusions: Record<string, (marks: string[]) => boolean> = {
  菜食でないもの: (marks) => !marks.includes('菜食') && !marks.includes('ヴィーガン'),
  ヴィーガンでないもの: (marks) => !marks.includes('ヴィーガン'),
  魚のだし: (marks) => marks.includes('魚のだし'),
  アルコール: (marks) => marks.includes('アルコール'),
  辛いもの: (marks) => marks.some((mark) => mark.startsWith('辛さ')),
}

/** Returns the exclusions that remove some but not all of the dishes. The allergens that must be labelled are always offered. */
export function offeredExclusions(dishes: Card[]) {
  const listed = dishes.flatMap(({ allergens }) => allergens.split('、'))
  const marked = Object.keys(exclusions).filter((name) => {
    const count = dishes.filter((dish) => excludes(dish, name)).length
    return count > 0 && count < dishes.length
  })
  return [...new Set([...requiredAllergens, ...listed, ...marked])].filter(Boolean)
}

function excludes({ allergens, marks }: Card, name: string) {
  return exclusions[name]?.(marks.split('、')) ?? allergens.split('、').includes(name)
}

/**
 * Returns whether a dish remains with the exclusions. `unconfirmed` if a chosen allergen is not listed, but nobody has
 * confirmed that the dish is free of it. Only the allergens that must be labelled can be confirmed.
 */
export function remains(dish: Card, without: string[]): 'yes' | 'no' | 'unconfirmed' {
  if (without.some((name) => excludes(dish, name))) return 'no'
  const isSure = (name: string) =>
    name in exclusions || (dish.allergensConfirmed && requiredAllergens.some((each) => each === name))
  return without.every(isSure) ? 'yes' : 'unconfirmed'
}
