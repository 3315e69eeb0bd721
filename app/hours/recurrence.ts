import { addDays, type Day, monthOf, weekdayOf } from '../dates/month.ts'

/** Recurrences: daily, weekly, every second week, or the first to the fifth occurrence of the weekday in a month. */
export const recurrences = ['毎日', '毎週', '隔週', '第1', '第2', '第3', '第4', '第5'] as const
export type Recurrence = (typeof recurrences)[number]

type Span = { first: Day; last: Day; rhythm: Recurrence | '最終'; weekday: number }

/** Returns the matching days from `first` to `last`. 隔週 counts from the first match, and 最終 is the last of a month. */
export function listDays({ first, last, rhythm, weekday }: Span): Day[] {
  const days: Day[] = []
  const step = rhythm === '毎日' ? 1 : 7
  const start = rhythm === '毎日' ? first : addDays(first, (weekday - weekdayOf(first) + 7) % 7)
  for (let day = start, weeks = 0; day <= last; day = addDays(day, step), weeks += 1) {
    if (rhythm === '毎日' || isMatch(rhythm, day, weeks)) days.push(day)
  }
  return days
}

function isMatch(rhythm: Span['rhythm'], day: Day, weeks: number) {
  if (rhythm === '毎週') return true
  if (rhythm === '隔週') return weeks % 2 === 0
  return rhythm === '最終' ? isLastOfMonth(day) : rhythm === nthOfMonth(day)
}

/** Returns 第1 to 第5 for the first to the fifth time that the weekday of the day occurs in its month. */
export function nthOfMonth(day: Day) {
  return `第${Math.ceil(Number(day.slice(8)) / 7)}` as Recurrence
}

/** Whether the weekday of the day occurs no more in its month. */
export function isLastOfMonth(day: Day) {
  return monthOf(addDays(day, 7)) !== monthOf(day)
}
