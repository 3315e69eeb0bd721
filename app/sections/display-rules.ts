import { z } from 'zod'
import { isDay } from '../dates/month.ts'
import { foldWidth } from '../ui/typed-text.ts'
import type { Display } from './shown.ts'

const isTime = (text: string) => {
  const [day = '', time = ''] = text.split('T')
  return isDay(day) && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time)
}

const time = z
  .string()
  // Some browsers send the seconds.
  .overwrite((text) => foldWidth(text).replace(/^(.{16}):00$/, '$1'))
  .refine((text) => text === '' || isTime(text), '日付と時刻を選び直してください')
  .default('')

/** Rules of the times of display, typed in a `datetime-local` field. */
export const displayRules = { shownFrom: time, shownUntil: time }

export const periodFields = ['shownFrom', 'shownUntil'] as const

/** Whether a field is the start or the end of the display. */
export function isPeriodField(field: string) {
  return periodFields.some((each) => each === field)
}

/** Refuses an end that is not after the start. */
export function checkDisplay({ shownFrom, shownUntil }: Partial<Display>, context: z.RefinementCtx) {
  if (shownFrom && shownUntil && shownUntil <= shownFrom)
    context.addIssue({ code: 'custom', path: ['shownUntil'], message: '終わりは、始まりより後にしてください' })
}

export const DisplayTimes = z.object(displayRules).superRefine(checkDisplay)
