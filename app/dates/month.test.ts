import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { dayInJapan, minuteInJapan } from './japan.ts'
import { addDays, daysInMonth, formatDay, formatDayWithYear, formatMonth, isDay, monthOf, weekdayOf } from './month.ts'

test('begins a day in Japan at 15:00 UTC of the previous day', () => {
  expect(dayInJapan(Date.parse('2026-11-19T14:59:59Z'))).toBe('2026-11-19')
  expect(dayInJapan(Date.parse('2026-11-19T15:00:00Z'))).toBe('2026-11-20')
  expect(minuteInJapan(Date.parse('2026-11-19T15:00:00Z'))).toBe(0)
  expect(minuteInJapan(Date.parse('2026-11-20T14:59:59Z'))).toBe(1439)
})

test('computes the same day and minute in Japan as the time zone database', () => {
  const tokyo = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Tokyo', dateStyle: 'short', timeStyle: 'short' })
  const instants = fc.integer({ min: Date.parse('1970-01-01'), max: Date.parse('2100-12-31') })
  fc.assert(
    fc.property(instants, (now) => {
      const minute = minuteInJapan(now)
      const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
      expect(`${dayInJapan(now)} ${time}`).toBe(tokyo.format(now))
    }),
  )
})

test('computes the next day and the weekday of every day from 1924 to 2100', () => {
  let weekday = 2 // 1 January 1924 was a Tuesday.
  let count = 0
  for (let day = '1924-01-01'; day <= '2100-12-31'; day = addDays(day, 1)) {
    if (weekdayOf(day) !== weekday || !isDay(day)) throw new Error(day)
    weekday = (weekday + 1) % 7
    count += 1
  }
  expect(count).toBe(177 * 365 + 44)
})

test('counts the days of a month, also in leap years', () => {
  expect([1900, 2000, 2024, 2026, 2100].map((year) => daysInMonth(year, 2))).toEqual([28, 29, 29, 28, 28])
  expect([4, 12].map((month) => daysInMonth(2026, month))).toEqual([30, 31])
})

test.each([
  '2026-02-30',
  '2027-02-29',
  '2026-04-31',
  '2026-12-32',
  '2026-01-00',
  '2026-13-01',
  '2026-00-10',
  '2026-1-1',
  '20260101',
  '2026-01-01T00:00',
  '12026-01-01',
  '',
])('rejects %j as a day', (text) => {
  expect(isDay(text)).toBe(false)
})

test('accepts the last day of a month, also 29 February of a leap year', () => {
  expect(['2026-01-31', '2026-04-30', '2028-02-29', '2026-12-31'].filter((day) => !isDay(day))).toEqual([])
})

test('formats days and months without leading zeros', () => {
  expect(formatDay('2026-11-20')).toBe('11月20日（金）')
  expect(formatDay('2027-01-03')).toBe('1月3日（日）')
  expect(formatDayWithYear('2027-01-03')).toBe('2027年1月3日')
  expect(formatMonth(monthOf('2027-01-03'))).toBe('2027年1月')
})

test.each(['America/Los_Angeles', 'Pacific/Kiritimati'])(
  'computes days in Japan when the process runs in the time zone %s',
  (zone) => {
    vi.stubEnv('TZ', zone)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(new Date(0).getTimezoneOffset()).not.toBe(0)
    expect(dayInJapan(Date.parse('2026-11-19T15:00:00Z'))).toBe('2026-11-20')
    expect(minuteInJapan(Date.parse('2026-11-19T15:00:00Z'))).toBe(0)
    expect(weekdayOf('2026-11-20')).toBe(5)
    expect(addDays('2026-10-31', 1)).toBe('2026-11-01')
    expect(daysInMonth(2026, 2)).toBe(28)
  },
)
