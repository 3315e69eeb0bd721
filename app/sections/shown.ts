import type { Section } from './section.ts'

export type Display = { draft?: boolean; shownFrom: string; shownUntil: string; hiddenUntil?: string }

/** Whether guests see a dish, section or notice at the time `now` in Japan (YYYY-MM-DDTHH:MM). */
export function isShown({ draft, shownFrom, shownUntil, hiddenUntil = '' }: Display, now: string) {
  return !draft && shownFrom <= now && hiddenUntil <= now && (shownUntil === '' || now < shownUntil)
}

/** Whether guests see a card at the time `now`. A hidden section hides its cards. */
export function isCardShown(card: Display & { section: string }, sections: Section[], now: string) {
  const section = sections.find(({ id }) => id === card.section)
  return isShown(card, now) && (!section || isShown(section, now))
}

/** Returns why guests do not see a dish or section at the time `now`, or '' if they see it. */
export function whyHidden(display: Display, now: string) {
  if (display.draft) return '下書き'
  if ((display.hiddenUntil ?? '') > now) return `${formatTime(display.hiddenUntil ?? '')}までお休み`
  return isShown(display, now) ? '' : '表示期間外'
}

/** Formats YYYY-MM-DDTHH:MM like 11/30 17:00. */
export function formatTime(time: string) {
  return time.slice(5).replace('-', '/').replace('T', ' ')
}

/** Returns the next time after `now` at which `isShown` may change for any of the items, or ''. */
export function nextDisplayChange(items: Display[], now: string) {
  const times = items.flatMap(({ shownFrom, shownUntil, hiddenUntil = '' }) => [shownFrom, shownUntil, hiddenUntil])
  return times.filter((time) => time > now).sort()[0] ?? ''
}
