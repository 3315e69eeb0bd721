import { z } from 'zod'
import { isDay } from '../dates/month.ts'

type Display = { draft?: boolean; shownFrom: string; shownUntil: string; hiddenUntil?: string }

/** Whether guests see a dish, section or notice at the time `now` in Japan (YYYY-MM-DDTHH:MM). */
export function isShown({ draft, shownFrom, shownUntil, hiddenUntil = '' }: Display, now: string) {
  return !draft && shownFrom <= now && hiddenUntil <= now && (shownUntil === '' || now < shownUntil)
}

/** Returns the next time after `now` at which `isShown` may change for any of the items, or ''. */
export function nextDisplayChange(items: Display[], now: string) {
  const times = items.flatMap(({ shownFrom, shownUntil, hiddenUntil = '' }) => [shownFrom, shownUntil, hiddenUntil])
  return times.filter((time) => time > now).sort()[0] ?? ''
}

const isTime = (text: string) => {
  const [day = '', time = ''] = text.split('T')
  return isDay(day) && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time)
}

const time = z
  .string()
  // Some browsers send the seconds.
  .overwrite((text) => text.replace(/^(.{16}):00$/, '$1'))
  .refine((text) => text === '' || isTime(text), '日付と時刻を選び直してください')
  .default('')

/** Rules of the times of display, typed in a `datetime-local` field. */
export const displayRules = { shownFrom: time, shownUntil: time }

/** Refuses an end that is not after the start. */
export function checkDisplay({ shownFrom, shownUntil }: Partial<Display>, context: z.RefinementCtx) {
  if (shownFrom && shownUntil && shownUntil <= shownFrom)
    context.addIssue({ code: 'custom', path: ['shownUntil'], message: '終わりは、始まりより後にしてください' })
}
