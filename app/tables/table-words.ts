import { minutesOf } from '../dates/japan.ts'
import { formatDay } from '../dates/month.ts'
import { formatMinutes } from '../hours/business-day.ts'
import { t } from '../languages/language.ts'

export const CHANGED = 'お店からのお返事などで、内容が変わりました。いまの内容をご確認ください。'
export const DAY_IS_FULL = 'この日は満席です。ほかの日をお選びください。'

/** Formats a time (HH:MM) of a booking in the language of the page: `19:00`, and `翌0:30` for `24:30`. */
export function formatTableTime(time: string) {
  return formatMinutes(minutesOf(time))
}

export function formatTableDay(day: string, time: string) {
  return t('{day} {hours}', { day: formatDay(day), hours: formatTableTime(time) })
}

export function formatParty(count: number) {
  return t('{count}名', { count })
}
