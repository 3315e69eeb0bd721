import type { Selectable } from 'kysely'
import type { EventRow } from '../../db/tables.ts'
import { type Day, formatDay, formatDayWithYear } from '../dates/month.ts'
import { spanOf } from '../hours/business-day.ts'
import { t } from '../languages/language.ts'
import { type TextFields, textField } from '../translations/translation.ts'
import type { Event } from './event.ts'
import { formatRecurrence, type SeriesColumns } from './series.ts'

export type ShownEvent = Omit<Selectable<EventRow>, 'createdAt' | 'deletedAt'>

/** The stored event after a conflict. `laterVersion` is the sum of the versions of the later events of its series. */
export type NewerEvent = ShownEvent & { laterVersion: number }

export const eventTextFields: TextFields = { title: textField('タイトル', 100), content: textField('内容', 5000) }

/** Returns the ID of an event's translations. The events of a series share theirs, unless an event was changed alone. */
export function translationIdOf({ id, seriesId, changedAlone }: ShownEvent) {
  return (!changedAlone && seriesId) || id
}

/** Returns the time as 9:00〜11:30, 18:00〜翌1:00 or 9:00から, or an empty string for an all-day event. */
export function formatEventTime({ startTime, endTime }: Pick<ShownEvent, 'startTime' | 'endTime'>) {
  if (!startTime) return ''
  if (!endTime) return t('{time}から', { time: trimLeadingZero(startTime) })
  const time = trimLeadingZero(endTime)
  return trimLeadingZero(startTime) + t('〜') + (endTime <= startTime ? t('翌{time}', { time }) : time)
}

/** Returns the times, the end and the duration of an event that ends on the next day. Returns null for other events. */
export function describeOvernight({ startTime, endTime }: { startTime?: string | null; endTime?: string | null }) {
  if (!startTime || !endTime || endTime >= startTime) return null
  const span = spanOf({ start: startTime, end: endTime })
  const minutes = span ? span.end - span.start : 0
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const duration = [hours && `${hours}時間`, rest && `${rest}分`].filter(Boolean).join('')
  return { times: `${startTime}-${endTime}`, end: `翌日の${trimLeadingZero(endTime)}`, duration }
}

function trimLeadingZero(time: string) {
  return time.replace(/^0/, '')
}

export const MEMBERS_ONLY = '承認されたメンバー'

/** Formats the deadline as 11月25日（水） 18:00, or returns an empty string if there is none. */
export function formatDeadline({ deadline, deadlineTime }: Pick<ShownEvent, 'deadline' | 'deadlineTime'>) {
  return [deadline && formatDay(deadline), deadline && deadlineTime && trimLeadingZero(deadlineTime)]
    .filter(Boolean)
    .join(' ')
}

export function formatMovedDeadline(deadline: Day, { day, today }: { day: Day; today: Day }) {
  return deadline < today && day >= today
    ? `締切は${formatDay(deadline)}になり、出欠の受付は終わりました。`
    : `締切も${formatDay(deadline)}に変更しました。`
}

export function titleOfEvent({ title, day }: Pick<ShownEvent, 'title' | 'day'>) {
  return `${title}（${formatDayWithYear(day)}）`
}

export function describeEvent(event: Event & Partial<SeriesColumns>) {
  const { title, day, content, attendance, capacity, membersOnly, recurrence, occurrence } = event
  return {
    タイトル: title,
    日付: formatDayWithYear(day),
    時刻: formatEventTime(event) || '終日',
    内容: content,
    出欠: attendance ? 'とる' : 'とらない',
    定員: capacity ? `${capacity}名` : '',
    締切: formatDeadline(event),
    公開範囲: membersOnly ? MEMBERS_ONLY : '',
    ...(recurrence && occurrence && { くり返し: formatRecurrence(recurrence, occurrence) }),
  }
}
