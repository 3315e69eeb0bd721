import { z } from 'zod'
import { isDay } from '../dates/month.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { eachRow, type Hours, isClosure, type Slots, scheduleRows } from './business-day.ts'
import { CAUSE, MAX_CAUSE, MAX_NOTE, NOTE } from './day-texts.ts'
import { type HourFields, hourFields, parseSlots } from './hour-fields.ts'
import { recurrences } from './recurrence.ts'

// Stored values have two digits. The schema also accepts numbers and single digits.
const twoDigits = (max: number, sentence: string) =>
  z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z.string(sentence).regex(/^\d{1,2}$/, sentence),
    )
    .transform((text) => text.padStart(2, '0'))
    .refine((text) => Number(text) <= max, sentence)
const hour = twoDigits(23, '時は0から23までで選んでください')
const minute = twoDigits(59, '分は0から59までで選んでください')
const times = Object.fromEntries(hourFields.map((name) => [name, name.endsWith('_hour') ? hour : minute])) as Record<
  keyof HourFields,
  typeof hour
>

export const StoredSlots = z.object(times).transform((fields) => parseSlots((name) => fields[name]))

export const StoredHours = z
  .object({ ...times, open_or_close: z.enum(['open', 'close'], '営業か定休日かを選んでください') })
  .transform(
    ({ open_or_close, ...fields }): Hours => ({
      open: open_or_close === 'open',
      slots: parseSlots((name) => fields[name]),
    }),
  )

export const StoredSchedule = z.strictObject({
  ...eachRow(() => StoredHours),
  closedDaysFirst: z.boolean('定休日を優先するかどうかを選んでください').optional(),
})

const SAME_TIME = '開始と終了が同じ時刻です。お休みの時間帯は、どちらも00:00にしてください。'

function addEmptySlotErrors(slots: Slots, context: z.RefinementCtx, path: string[] = []) {
  for (const [index, slot] of slots.entries())
    if (slot && slot.start === slot.end)
      context.addIssue({ code: 'custom', path: [...path, `endtime${index + 1}_hour`], message: SAME_TIME })
}

/** Slots for a save. The start and end of a slot must differ. */
export const SavedSlots = StoredSlots.superRefine((slots, context) => addEmptySlotErrors(slots, context))

export const SavedSchedule = StoredSchedule.superRefine((schedule, context) => {
  for (const name of scheduleRows) if (schedule[name].open) addEmptySlotErrors(schedule[name].slots, context, [name])
})

export const SpecialDate = z
  .string('日付を選んでください')
  .refine(isDay, 'この日付はありません。日をご確認ください。')
  .refine((day) => day >= '2025-01-01' && day <= '2100-12-31', '2025年から2100年までの日付を選んでください')

export const MAX_SPECIAL_DAYS = 366
export const MAX_REASON = 40
const CHOOSE_WEEKDAY = '曜日を選んでください'

const specialFields = {
  ...times,
  first: SpecialDate,
  last: SpecialDate,
  rhythm: z.enum(recurrences, '繰り返しを選んでください'),
  weekday: z.coerce.number(CHOOSE_WEEKDAY).int(CHOOSE_WEEKDAY).min(0, CHOOSE_WEEKDAY).max(6, CHOOSE_WEEKDAY),
  reason: textField('理由', MAX_REASON, cleanLine, '理由を選んでください').min(1, '理由を選んでください'),
  cause: textField(CAUSE, MAX_CAUSE, cleanLine).default(''),
  note: textField(NOTE, MAX_NOTE, cleanLine).default(''),
}
export const specialFieldNames = Object.keys(specialFields)

/** The days of a recurrence, and the values to save for each day. */
export const SpecialDays = z
  .object(specialFields)
  .transform(({ first, last, rhythm, weekday, reason, cause, note, ...fields }) => ({
    span: { first, last, rhythm, weekday },
    special: { reason, cause, note, slots: parseSlots((name) => fields[name]) },
  }))
  .superRefine(({ span, special }, context) => {
    if (span.last < span.first)
      context.addIssue({ code: 'custom', path: ['last'], message: '終了日は開始日より後にしてください' })
    if (!isClosure(special.reason)) addEmptySlotErrors(special.slots, context)
  })
