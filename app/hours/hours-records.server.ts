import type { z } from 'zod'
import type { BusinessWeekRow, SpecialDayRow } from '../../db/tables.ts'
import { dayWithYearInWords, monthOf } from '../dates/month.ts'
import { refusalOfCalendar } from '../permissions.ts'
import type { Kind } from '../records/record.ts'
import { eachRow, hoursInWords, isClosure, spansInWords, spansOf } from './business-day.ts'
import { CAUSE, NOTE } from './day-words.ts'
import { StoredSchedule, StoredSlots } from './schedule.ts'

const UNREADABLE = '読めないデータ'

export const weekRecord: Kind<BusinessWeekRow> = {
  subject: 'businessWeek',
  table: 'businessWeek',
  key: 'id',
  topicOf: () => 'hours',
  refusal: refusalOfCalendar,
  inWords: ({ schedule }): Record<string, string> => {
    const read = parsed(StoredSchedule, schedule)
    return read
      ? {
          ...eachRow((name) => hoursInWords(read[name])),
          ...(read.closedDaysFirst && { 定休日: '祝日と祝前日より優先' }),
        }
      : { スケジュール: UNREADABLE }
  },
  nameOf: () => '毎週の営業時間',
  placeOf: () => '営業時間',
  addressOf: () => '/bussinessdays',
}

export const specialDayRecord: Kind<SpecialDayRow> = {
  subject: 'specialDay',
  table: 'specialDays',
  key: 'day',
  topicOf: () => 'specialDays',
  refusal: refusalOfCalendar,
  inWords: ({ reason, cause, note, hours }): Record<string, string> => {
    const slots = parsed(StoredSlots, hours)
    if (!slots) return { 時間: UNREADABLE }
    const time = isClosure(reason) ? '' : spansInWords(spansOf(slots)) || '時間なし'
    return { 理由: reason, [CAUSE]: cause, 時間: time, [NOTE]: note }
  },
  nameOf: ({ day, reason }) => `${dayWithYearInWords(day)} ${reason}`,
  placeOf: () => '特別営業日',
  addressOf: ({ day }) => `/calendar?month=${monthOf(day)}`,
}

/** Parses a JSON column; returns null if the value is invalid. */
export function parsed<T>(schema: z.ZodType<T>, json: string) {
  try {
    return schema.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
