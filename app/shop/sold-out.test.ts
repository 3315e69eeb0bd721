import { describe, expect, test } from 'vitest'
import type { DayState } from '../hours/business-day.ts'
import { soldOutUntil } from './sold-out.ts'

const dayState = (date: string, state: DayState['state'], ...starts: number[]): DayState => ({
  day: date,
  state,
  spans: starts.map((start) => ({ start, end: start + 120 })),
  label: '',
  holiday: null,
  source: 'weekday',
})
const days = [
  dayState('2026-11-20', 'open', 450, 690),
  dayState('2026-11-21', 'closed'),
  dayState('2026-11-22', 'open', 450, 690),
]
const timeOf = (time: string) => Date.parse(`${time}+09:00`)
const soldOutAt = new Date(timeOf('2026-11-20T08:00')).toISOString()

describe('soldOutUntil', () => {
  test.each([
    ['2026-11-20T08:00', true],
    // The second slot of Friday does not end the sold-out state.
    ['2026-11-20T11:30', true],
    ['2026-11-21T12:00', true],
    ['2026-11-22T07:29', true],
    ['2026-11-22T07:30', false],
  ])('ends the sold-out state of a dish at the next opening, on Sunday (sold out at %s: %j)', (time, expected) => {
    expect(timeOf(time) < soldOutUntil(soldOutAt, days)).toBe(expected)
  })

  test('ends the sold-out state of a night at the opening of the next evening, also after midnight', () => {
    const evenings = days.map(({ day }) => ({ ...dayState(day, 'open'), spans: [{ start: 1080, end: 1560 }] }))
    const until = (time: string) => soldOutUntil(new Date(timeOf(time)).toISOString(), evenings)
    expect(until('2026-11-20T23:59')).toBe(timeOf('2026-11-21T18:00'))
    expect(until('2026-11-21T01:59')).toBe(timeOf('2026-11-21T18:00'))
    expect(until('2026-11-21T02:00')).toBe(timeOf('2026-11-22T18:00'))
  })

  test('returns 0 when the dish was marked as sold out before the first given day', () => {
    expect(soldOutUntil('2026-10-01T00:00:00Z', days)).toBe(0)
  })

  test('returns the next midnight in Japan when the hours are unknown', () => {
    const unknown = [dayState('2026-11-20', 'unknown'), dayState('2026-11-21', 'unknown')]
    expect(soldOutUntil(soldOutAt, unknown)).toBe(timeOf('2026-11-21T00:00'))
    expect(soldOutUntil(soldOutAt, [])).toBe(timeOf('2026-11-21T00:00'))
  })

  test('returns the end of the last day when the shop is closed on all later days', () => {
    const closedDays = [...days.slice(0, 2), dayState('2026-11-22', 'closed')]
    expect(soldOutUntil(soldOutAt, closedDays)).toBe(timeOf('2026-11-23T00:00'))
  })
})
