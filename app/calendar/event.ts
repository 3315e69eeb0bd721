import { z } from 'zod'
import { addDays, type Day, daysFrom, isDay } from '../dates/month.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine, numberFrom } from '../ui/typed-text.ts'
import { describeOvernight } from './event-format.ts'
import { listRecurrences, seriesRecurrences } from './series.ts'

const chosenDay = z
  .string('日付を選んでください')
  .refine(isDay, '日付を選んでください')
  .refine((day) => day >= '1924-01-01' && day <= '2100-12-31', '1924年から2100年までの日付を選んでください')
const emptyToNull = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value || null, schema.nullable())
const time = z.string('時刻を選んでください').regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, '時刻を選んでください')
const checkbox = z.preprocess((value) => value === true || value === 'yes', z.boolean())
const numberField = (min: number, max: number, message: string) =>
  z.preprocess(numberFrom, z.int(message).min(min, message).max(max, message).nullable().default(null))

export const Event = z
  .object({
    day: chosenDay,
    title: textField('タイトル', 100, cleanLine).min(1, 'タイトルを入力してください'),
    content: textField('内容', 5000).default(''),
    startTime: emptyToNull(time),
    endTime: emptyToNull(time),
    attendance: checkbox,
    capacity: numberField(1, 999, '定員は1から999までの数字で入力してください'),
    deadline: emptyToNull(chosenDay),
    deadlineTime: emptyToNull(time),
    membersOnly: checkbox,
  })
  .superRefine(({ day, startTime, endTime, attendance, deadline, deadlineTime }, context) => {
    const addError = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (endTime && !startTime) addError('startTime', '開始の時刻も選んでください')
    if (endTime && startTime === endTime) addError('endTime', '開始と終了が同じ時刻です')
    if (attendance && deadline && deadline > day) addError('deadline', '締切は当日までの日付にしてください')
    if (attendance && deadlineTime && !deadline) addError('deadlineTime', '締切の日も入力してください')
  })
export type Event = z.infer<typeof Event>

export const MovedEvent = z.object({ day: chosenDay })

/** The form values of an event. If the event ends on the next day, `overnight` confirms its times. */
export const EventForm = Event.safeExtend({ overnight: z.string().optional() })
  .superRefine(({ overnight, ...event }, context) => {
    const nextDay = describeOvernight(event)
    if (nextDay && nextDay.times !== overnight)
      context.addIssue({
        code: 'custom',
        path: ['endTime'],
        message: `終了が開始より前です。${nextDay.end}に終わる予定なら、下にチェックを入れてください。`,
      })
  })
  .transform(({ overnight: _, ...event }): Event => event)

/** The columns of an exported event in a series. */
export const SeriesPlace = z.object({
  seriesId: z.string().regex(/^[\w-]{1,100}$/),
  occurrence: chosenDay,
  recurrence: z.enum(seriesRecurrences),
  changedAlone: z.boolean(),
})

export const MAX_OCCURRENCES = 200

/** The form values of a new series. The series ends with the day `until` or after a number of times. */
export const Repetition = z
  .object({
    day: chosenDay,
    recurrence: z.enum(seriesRecurrences, 'くり返しを選び直してください'),
    until: emptyToNull(chosenDay),
    times: numberField(1, MAX_OCCURRENCES, `回数は1から${MAX_OCCURRENCES}までの数字で入力してください`),
    skipsClosedDays: checkbox,
    skipsHolidays: checkbox,
    deadlineDays: numberField(0, 365, '締切は0から365日前までの数字で入力してください'),
  })
  .superRefine(({ day, recurrence, until, times }, context) => {
    const addError = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (!listRecurrences(day).includes(recurrence)) addError('recurrence', 'くり返しを選び直してください')
    if (!until && !times) addError('until', '最後の日か回数を入力してください')
    if (until && times) addError('times', '最後の日と回数は、どちらか一つを入力してください')
    if (until && until < day) addError('until', '最後の日は、最初の日より後にしてください')
  })
export type Repetition = z.infer<typeof Repetition>

export function firstDeadline({ day, deadlineDays }: Repetition) {
  return deadlineDays === null ? null : addDays(day, -deadlineDays)
}

/**
 * Returns the deadline after a move of the event. The number of days between the deadline and the event stays the same,
 * but the deadline is never after the event.
 */
export function moveDeadline({ day, deadline }: { day: Day; deadline: Day | null }, to: Day) {
  if (!deadline) return null
  return deadline < day ? addDays(deadline, daysFrom(day, to)) : to
}
