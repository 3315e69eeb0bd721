import { isJapanese, languageCode } from '../languages/language.ts'

/** A calendar date in Japan, YYYY-MM-DD; not an instant. */
export type Day = string
/** A calendar month in Japan, YYYY-MM. */
export type Month = string

export const firstMonth: Month = '1924-01'
export const lastMonth: Month = '2100-12'

const MS_PER_DAY = 24 * 60 * 60 * 1000

export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * MS_PER_DAY).toISOString().slice(0, 10)
}

export function daysFrom(first: Day, last: Day) {
  return (Date.parse(last) - Date.parse(first)) / MS_PER_DAY
}

/** Returns the day of the week, 0 for Sunday to 6 for Saturday. */
export function weekdayOf(day: Day) {
  return new Date(`${day}T00:00:00Z`).getUTCDay()
}

/** Returns the number of days, 28 to 31. `month` counts from 1. */
export function daysInMonth(year: number, month: number) {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

export function isDay(text: string): text is Day {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!parts) return false
  const [year, month, date] = parts.slice(1).map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && date >= 1 && date <= daysInMonth(year, month)
}

/** Formats a day in the language of the page, which is not Japanese. */
function formatIn(day: Day, options: Intl.DateTimeFormatOptions) {
  return new Date(day).toLocaleDateString(languageCode(), { timeZone: 'UTC', ...options })
}

const DATE = { day: 'numeric', month: 'short', weekday: 'short' } as const

export function formatDay(day: Day) {
  if (!isJapanese()) return formatIn(day, DATE)
  const [, month, date] = day.split('-').map(Number)
  return `${month}月${date}日（${'日月火水木金土'[weekdayOf(day)]}）`
}

export function formatDayWithYear(day: Day) {
  if (!isJapanese()) return formatIn(day, { dateStyle: 'long' })
  const [year, month, date] = day.split('-').map(Number)
  return `${year}年${month}月${date}日`
}

export function formatFullDay(day: Day) {
  if (!isJapanese()) return formatIn(day, { ...DATE, year: 'numeric' })
  return `${day.slice(0, 4)}年${formatDay(day)}`
}

export function formatMonth(month: Month) {
  if (!isJapanese()) return formatIn(month, { month: 'short', year: 'numeric' })
  const [year, number] = month.split('-').map(Number)
  return `${year}年${number}月`
}

export function monthOf(day: Day): Month {
  return day.slice(0, 7)
}

export function addMonths(month: Month, count: number): Month {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const months = year * 12 + number - 1 + count
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`
}

export function parseMonth(text: string): Month | null {
  const parts = /^(-?\d{1,9})-(\d{1,2})$/.exec(text)
  if (!parts) return null
  const [year, number] = parts.slice(1).map(Number) as [number, number]
  if (year < 1924) return firstMonth
  if (year > 2100) return lastMonth
  return `${year}-${String(Math.min(Math.max(number, 1), 12)).padStart(2, '0')}`
}

export function weeksOf(month: Month): Day[][] {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const first = `${month}-01`
  const before = weekdayOf(first)
  const weeks = Math.ceil((before + daysInMonth(year, number)) / 7)
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => addDays(first, week * 7 + weekday - before)),
  )
}

export function parseMonthQuery(query: URLSearchParams, today: Day) {
  const requestedDay = query.get('day') ?? ''
  const day = isDay(requestedDay) && parseMonth(monthOf(requestedDay)) === monthOf(requestedDay) ? requestedDay : null
  const typedMonth = query.get('year') && `${query.get('year')}-${query.get('in')}`
  const requestedMonth = typedMonth || (query.get('month') ?? monthOf(day ?? today))
  const month = parseMonth(requestedMonth) ?? monthOf(today)
  return {
    month,
    day: day && monthOf(day) === month ? day : null,
    redirected: Boolean(typedMonth) || month !== requestedMonth,
  }
}
