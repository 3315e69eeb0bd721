import { z } from 'zod'
import { isDay } from '../dates/month.ts'
import { typedText } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { emptySlots, isClosure, noHours, scheduleRows } from './business-day.ts'
import { CAUSE, MAX_CAUSE, MAX_NOTE, NOTE } from './day-words.ts'
import { rhythms } from './rhythm.ts'

// Stored as two digits; numbers and single digits are accepted too.
const twoDigits = (most: number, sentence: string) =>
  z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z.string(sentence).regex(/^\d{1,2}$/, sentence),
    )
    .transform((text) => text.padStart(2, '0'))
    .refine((text) => Number(text) <= most, sentence)
const hour = twoDigits(23, '時は0から23までで選んでください')
const minute = twoDigits(59, '分は0から59までで選んでください')

/** The two slots of a day as stored: two-digit strings; 00:00 to 00:00 means that the slot is absent. */
export const Hours = z.object(
  Object.fromEntries(Object.keys(noHours).map((name) => [name, name.endsWith('_hour') ? hour : minute])) as Record<
    keyof typeof noHours,
    typeof hour
  >,
)
export type Hours = z.infer<typeof Hours>

export const ScheduleRow = Hours.extend({ open_or_close: z.enum(['open', 'close'], '営業か定休日かを選んでください') })
export type ScheduleRow = z.infer<typeof ScheduleRow>

const rows = Object.fromEntries(scheduleRows.map((name) => [name, ScheduleRow])) as Record<
  (typeof scheduleRows)[number],
  typeof ScheduleRow
>

export const Schedule = z.strictObject({
  ...rows,
  /** Whether a closed weekday stays closed on holidays and their eves. Absent if nobody has chosen yet. */
  closedDaysFirst: z.boolean('定休日を優先するかどうかを選んでください').optional(),
})
export type Schedule = z.infer<typeof Schedule>

const SAME_TIME = '開始と終了が同じ時刻です。お休みの時間帯は、どちらも00:00にしてください。'

export function refuseEmptySlots(hours: Hours, context: z.RefinementCtx, path: string[] = []) {
  for (const number of emptySlots(hours))
    context.addIssue({ code: 'custom', path: [...path, `endtime${number}_hour`], message: SAME_TIME })
}

/** Schedule for saving: no slot ends when it begins. The times of closed days are stored without this check. */
export const SavedSchedule = Schedule.superRefine((schedule, context) => {
  for (const name of scheduleRows) {
    const row = schedule[name]
    if (row.open_or_close === 'open') refuseEmptySlots(row, context, [name])
  }
})

export const specialDay = z
  .string('日付を選んでください')
  .refine(isDay, 'この日付はありません。日をご確認ください。')
  .refine((day) => day >= '2025-01-01' && day <= '2100-12-31', '2025年から2100年までの日付を選んでください')

export const MAX_SPECIAL_DAYS = 366
export const MAX_REASON = 40
const CHOOSE_WEEKDAY = '曜日を選んでください'

export const SpecialDays = Hours.extend({
  first: specialDay,
  last: specialDay,
  rhythm: z.enum(rhythms, 'くり返しを選んでください'),
  weekday: z.coerce.number(CHOOSE_WEEKDAY).int(CHOOSE_WEEKDAY).min(0, CHOOSE_WEEKDAY).max(6, CHOOSE_WEEKDAY),
  reason: typedText('理由', MAX_REASON, cleanLine, '理由を選んでください').min(1, '理由を選んでください'),
  cause: typedText(CAUSE, MAX_CAUSE, cleanLine).default(''),
  note: typedText(NOTE, MAX_NOTE, cleanLine).default(''),
}).superRefine(({ first, last, reason, ...hours }, context) => {
  if (last < first)
    context.addIssue({ code: 'custom', path: ['last'], message: '終わりの日は始まりの日より後にしてください' })
  if (!isClosure(reason)) refuseEmptySlots(hours, context)
})
export type SpecialDays = z.infer<typeof SpecialDays>

export function saidOf(days: SpecialDays) {
  const { reason, cause, note } = days
  return { reason, cause, note, hours: Hours.parse(days) }
}
