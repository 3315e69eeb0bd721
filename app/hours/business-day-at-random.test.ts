import { expect, test } from 'vitest'
import { often } from '../../scripts/abuse.ts'
import { addDays, type Day } from '../dates/month.ts'
import { type BusinessRules, type DayState, dayState, openingNow, type Span } from './business-day.ts'
import { StoredSchedule, StoredSlots } from './schedule.ts'
import { referenceDay, referenceNow, referenceTable, type Scenario } from './testing-reference.ts'
import { randomScenario } from './testing-scenarios.ts'
import { weekRows } from './week.ts'

function createRules({ week, closedDaysFirst, specials, holidays }: Scenario): BusinessRules {
  const specialDay = (day: Day) => {
    const special = specials.get(day)
    return special?.hours ? { day, ...special, slots: StoredSlots.parse(special.hours) } : null
  }
  return {
    schedule: week && StoredSchedule.parse({ ...week, closedDaysFirst }),
    specialDay,
    holiday: (day) => holidays.get(day) ?? null,
  }
}

test('returns the same states as the reference implementation for random schedules and times', () => {
  for (let seed = 1; seed <= often(1500, 1_000_000); seed += 1) {
    const { now, first, scenario } = randomScenario(seed)
    const days = Array.from({ length: 4 }, (_, index) => dayState(addDays(first, index), createRules(scenario)))
    const current = openingNow(now, days)
    const currentState =
      current.state === 'open'
        ? { ...current, began: current.began.day }
        : current.state === 'closed'
          ? { state: current.state, opens: current.opens }
          : { state: current.state }
    expectSame(seed, currentState, referenceNow(scenario, now))

    const day = addDays(first, 1)
    const { state, label, cause = '', note = '', holiday, spans } = days[1] as DayState
    const timeSpans = spans.map(({ start, end }) => [start, end])
    expectSame(seed, { state, label, cause, note, holiday, timeSpans }, referenceDay(scenario, day))
  }
})

test('returns the same table rows as the reference implementation for random weeks', () => {
  for (let seed = 1; seed <= often(500, 100_000); seed += 1) {
    const { week } = randomScenario(seed).scenario
    if (!week) continue
    const pair = (span: Span | null) => span && [span.start, span.end]
    const rows = weekRows(StoredSchedule.parse({ ...week, closedDaysFirst: false })).map(
      ({ name, closed, first, second, joined }) => ({
        name,
        closed,
        first: pair(first),
        second: pair(second),
        joined: pair(joined),
      }),
    )
    expectSame(seed, rows, referenceTable(week))
  }
})

// Calls `expect` only if the values differ, because an assertion for every seed would dominate the run time.
function expectSame(seed: number, actual: unknown, expected: unknown) {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect({ seed, actual }).toEqual({ seed, actual: expected })
}
