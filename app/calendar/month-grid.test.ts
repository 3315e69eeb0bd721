import { expect, test } from 'vitest'
import { addMonths, daysInMonth, firstMonth, lastMonth, parseMonth, weekdayOf, weeksOf } from '../dates/month.ts'

test('places every day from 1924 to 2100 on the same weekday and week as Temporal', () => {
  // The calendar of Temporal shares no code with the tested functions.
  let month = firstMonth
  let days = 0
  for (let first = Temporal.PlainDate.from('1924-01-01'); first.year <= 2100; first = first.add({ months: 1 })) {
    const name = first.toPlainYearMonth().toString()
    if (month !== name) throw new Error(`month: got ${month}, expected ${name}`)
    if (daysInMonth(first.year, first.month) !== first.daysInMonth)
      throw new Error(`daysInMonth of ${name}: expected ${first.daysInMonth}`)

    const weeks = weeksOf(month)
    const sunday = first.subtract({ days: first.dayOfWeek % 7 })
    const rows = Math.ceil((sunday.until(first).days + first.daysInMonth) / 7)
    if (weeks.length !== rows || rows < 4 || rows > 6)
      throw new Error(`weeks of ${name}: got ${weeks.length}, expected ${rows}`)
    for (const [row, week] of weeks.entries()) {
      for (const [column, day] of week.entries()) {
        const expected = sunday.add({ days: row * 7 + column })
        if (day !== expected.toString() || weekdayOf(day) !== expected.dayOfWeek % 7)
          throw new Error(`day in ${name}: got ${day}, expected ${expected}`)
        if (expected.month === first.month) days += 1
      }
    }
    month = addMonths(month, 1)
  }
  expect(month).toBe(addMonths(lastMonth, 1))
  expect(days).toBe(177 * 365 + 44)
})

test('adds and subtracts months across a change of the year', () => {
  expect(addMonths('2026-01', -1)).toBe('2025-12')
  expect(addMonths('2026-11', 14)).toBe('2028-01')
  expect(addMonths('2026-11', -12)).toBe('2025-11')
})

test('replaces a month outside the calendar with the nearest valid month', () => {
  expect(parseMonth('-5-01')).toBe(firstMonth)
  expect(parseMonth('1923-12')).toBe(firstMonth)
  expect(parseMonth('1924-02')).toBe('1924-02')
  expect(parseMonth('2100-11')).toBe('2100-11')
  expect(parseMonth('2100-12')).toBe(lastMonth)
  expect(parseMonth('2101-01')).toBe(lastMonth)
  expect(parseMonth('2026-00')).toBe('2026-01')
  expect(parseMonth('2026-13')).toBe('2026-12')
  expect(parseMonth('')).toBeNull()
})
