import type { z } from 'zod'
import type { BusinessWeekRow, SpecialDayRow } from '../../db/tables.ts'
import { formatDayWithYear, monthOf } from '../dates/month.ts'
import { refusalOfCalendar } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { eachRow, formatHours, formatSpans, isClosure, spansOf } from './business-day.ts'
import { CAUSE, NOTE } from './day-texts.ts'
import { StoredSchedule, StoredSlots } from './schedule.ts'

const UNREADABLE = '読めないデータ'

export const weekRecord: RecordType<BusinessWeekRow> = {
  subject: 'businessWeek',
  table: 'businessWeek',
  topicOf: () => 'hours',
  refusal: refusalOfCalendar,
  describe: ({ schedule }): Record<string, string> => {
    const week = parseColumn(StoredSchedule, schedule)
    return week
      ? {
          ...eachRow((name) => formatHours(week[name])),
          ...(week.closedDaysFirst && { 定休日: '祝日と祝前日より優先' }),
        }
      : { スケジュール: UNREADABLE }
  },
  titleOf: () => '毎週の営業時間',
  placeOf: () => '営業時間',
  urlOf: () => '/bussinessdays',
}

export function titleOfDay({ day, reason }: Pick<SpecialDayRow, 'day' | 'reason'>) {
  return `${formatDayWithYear(day)} ${reason}`
}

export const specialDayRecord: RecordType<SpecialDayRow> = {
  subject: 'specialDay',
  table: 'specialDays',
  key: 'day',
  topicOf: () => 'specialDays',
  refusal: refusalOfCalendar,
  describe: ({ reason, cause, note, hours }): Record<string, string> => {
    const slots = parseColumn(StoredSlots, hours)
    if (!slots) return { 時間: UNREADABLE }
    const time = isClosure(reason) ? '' : formatSpans(spansOf(slots)) || '時間なし'
    return { 理由: reason, [CAUSE]: cause, 時間: time, [NOTE]: note }
  },
  titleOf: titleOfDay,
  placeOf: () => '特別営業日',
  urlOf: ({ day }) => `/calendar?month=${monthOf(day)}`,
}

/** Parses a JSON column. Returns null if the value is invalid. */
export function parseColumn<T>(schema: z.ZodType<T>, json: string) {
  try {
    return schema.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
