import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { asMilliseconds, atMost, figure, type Row } from './bench-figures.ts'
import { timesOf } from './bench-page-in-memory.ts'

const MS_PER_DAY = 24 * 60 * 60 * 1000
const CENTURY = 100 * 365
const FEED = 390

/** Measures a month page with 100 and with 100,000 stored events, and the feed of 5,000 events. */
export async function calendar(): Promise<Row[]> {
  const few = await monthPage(100)
  const many = await monthPage(100_000)
  const anew = await feed(false)
  const atHand = await feed(true)
  return [
    { what: '/calendar.data, 100 events', figures: [figure('median', few.median, asMilliseconds)], notes: [few.note] },
    {
      what: '/calendar.data, 100,000 events',
      // Forty of the events are in the month. A full table scan would take ten times as long.
      figures: [atMost('median', many.median, few.median * 3 + 5, asMilliseconds)],
      notes: [many.note],
    },
    { what: '/calendar.ics of 5,000 events, made anew', figures: [figure('median', anew.median, asMilliseconds)] },
    {
      what: '/calendar.ics of 5,000 events, at hand',
      figures: [atMost('median', atHand.median, anew.median / 5, asMilliseconds)],
    },
  ]
}

// Spreads the events evenly over the century around 2026.
function monthPage(count: number) {
  return timesOf('/calendar.data?month=2026-11', {
    fill: (db) => fill(db, count, (index) => Date.UTC(1976, 0, 1) + ((index * 7919) % CENTURY) * MS_PER_DAY),
    note: async (db) => {
      const { rows: plan } = await sql<{ detail: string }>`explain query plan select * from events
        where "deletedAt" is null and day >= '2026-11-01' and day <= '2026-12-05' order by day`.execute(db)
      return plan.map(({ detail }) => detail).join('; ')
    },
  })
}

function feed(atHand: boolean) {
  return timesOf('/calendar.ics', {
    fill: (db) => fill(db, 5000, (index) => Date.UTC(2026, 9, 25) + (index % FEED) * MS_PER_DAY),
    atHand,
  })
}

async function fill(db: Kysely<Tables>, count: number, midnightOf: (index: number) => number) {
  const rows = Array.from({ length: count }, (_, index) => eventOf(index, midnightOf(index)))
  for (let start = 0; start < count; start += 1000)
    await db
      .insertInto('events')
      .values(rows.slice(start, start + 1000))
      .execute()
}

function eventOf(index: number, midnight: number) {
  const at = '2026-11-20T03:00:00.000Z'
  const day = new Date(midnight).toISOString().slice(0, 10)
  const whole = { startTime: null, endTime: null, attendance: false, capacity: null, deadline: null }
  const kept = { version: 1, createdAt: at, updatedAt: at, deletedAt: null }
  return { id: `event-${index}`, day, title: `予定${index}`, content: '西コートで三時間ほど', ...whole, ...kept }
}
