import { addDays, type Day, weekdayOf } from '../dates/month.ts'

/** Recurrences: daily, weekly, every second week, or the first to the fifth occurrence of the weekday in a month. */
export const recurrences = ['毎日', '毎週', '隔週', '第1', '第2', '第3', '第4', '第5'] as const
export type Recurrence = (typeof recurrences)[number]

type Span = { first: Day; last: Day; rhythm: Recurrence; weekday: number }

/** Returns the days from `first` to `last` that match the recurrence. 隔週 counts from the first matching weekday. */
export function listDays({ first, last, rhythm, weekday }: Span): Day[] {
  const days: Day[] = []
  let weeks = 0
  for (let day = first; day <= last; day = addDays(day, 1)) {
    if (rhythm === '毎日') days.push(day)
    else if (weekdayOf(day) === weekday && isMatch(rhythm, day, weeks++)) days.push(day)
  }
  return days
}

function isMatch(rhythm: Recurrence, day: Day, weeks: number) {
  if (rhythm === '毎週') return true
  if (rhythm === '隔週') return weeks % 2 === 0
  return `第${Math.ceil(Number(day.slice(8)) / 7)}` === rhythm
}
