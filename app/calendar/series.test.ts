import ICAL from 'ical.js'
import { describe, expect, test } from 'vitest'
import { often } from '../../scripts/abuse.ts'
import { addDays, type Day, weekdayOf } from '../dates/month.ts'
import { formatRule } from './event-feed.ts'
import { formatRecurrence, listOccurrences, listRecurrences, moveRecurrence, type SeriesRecurrence } from './series.ts'

/** Returns pseudo-random integers from 0 to `below` - 1 (mulberry32). */
function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Expands an RRULE with ical.js, an independent implementation. */
function expand(recurrence: SeriesRecurrence, first: Day, last: Day) {
  const until = last.replaceAll('-', '')
  const rule = ICAL.Recur.fromString(`${formatRule({ recurrence, occurrence: first })};UNTIL=${until}`)
  const iterator = rule.iterator(ICAL.Time.fromDateString(first))
  const days: Day[] = []
  for (let next = iterator.next(); next; next = iterator.next()) days.push(next.toString())
  return days
}

describe('listOccurrences', () => {
  test('lists the same days as another implementation of RRULE', () => {
    for (let seed = 1; seed <= often(200, 10_000); seed += 1) {
      const random = randomOf(seed)
      const first = addDays('1924-01-01', random(64_000))
      const possible = listRecurrences(first)
      const recurrence = possible[random(possible.length)] as SeriesRecurrence
      const last = addDays(first, random(seed % 50 === 0 ? 4000 : 500))
      expect(listOccurrences(recurrence, first, last), `${first} ${recurrence} ${last}`).toEqual(
        expand(recurrence, first, last),
      )
    }
  })

  test('skips months without a fifth weekday', () => {
    expect(listOccurrences('第5', '2026-10-31', '2027-06-01')).toEqual(['2026-10-31', '2027-01-30', '2027-05-29'])
  })
})

describe('listRecurrences', () => {
  test('offers the last weekday of the month only on the last seven days', () => {
    expect(listRecurrences('2026-11-28')).toEqual(['毎週', '隔週', '第4', '最終'])
    expect(listRecurrences('2026-11-23')).toEqual(['毎週', '隔週', '第4'])
    expect(listRecurrences('2026-11-30')).toEqual(['毎週', '隔週', '第5', '最終'])
  })
})

describe('moveRecurrence', () => {
  test('moves each day of a month to its new number and weekday', () => {
    const { recurrence, days } = moveRecurrence('第2', '2026-11-14', '2026-11-15')
    expect(recurrence).toBe('第3')
    expect([...days].slice(0, 4)).toEqual([
      ['2026-11-14', '2026-11-15'],
      ['2026-12-12', '2026-12-20'],
      ['2027-01-09', '2027-01-17'],
      ['2027-02-13', '2027-02-21'],
    ])
  })

  test('moves every weekly day by the same number of days, and retains the last weekday of a month', () => {
    const { days } = moveRecurrence('毎週', '2026-11-28', '2026-12-01')
    for (const [from, to] of [...days].slice(0, 100)) expect(to).toBe(addDays(from, 3))
    expect(moveRecurrence('最終', '2026-11-28', '2026-11-29').recurrence).toBe('最終')
    expect(moveRecurrence('最終', '2026-11-28', '2026-11-21').recurrence).toBe('第3')
  })
})

test('formats a recurrence with the weekday of its first day', () => {
  const day = '2026-11-28'
  expect(weekdayOf(day)).toBe(6)
  expect(listRecurrences(day).map((each) => formatRecurrence(each, day))).toEqual([
    '毎週土曜日',
    '隔週土曜日',
    '毎月第4土曜日',
    '毎月最終土曜日',
  ])
})
