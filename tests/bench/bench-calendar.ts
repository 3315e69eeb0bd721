import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { asMilliseconds, figure, figureAtMost, type Row } from './bench-figures.ts'
import { measurePage } from './bench-page-in-memory.ts'

const MS_PER_DAY = 24 * 60 * 60 * 1000
const CENTURY = 100 * 365
const FEED = 390

/** Measures a month page with 100 and with 100,000 stored events, and the feed of 5,000 events. */
export async function calendar(): Promise<Row[]> {
  const fewEvents = await monthPage(100)
  const manyEvents = await monthPage(100_000)
  const rendered = await feed(false)
  const cached = await feed(true)
  return [
    {
      label: '/calendar.data, 100 events',
      figures: [figure('median', fewEvents.median, asMilliseconds)],
      notes: [fewEvents.note],
    },
    {
      label: '/calendar.data, 100,000 events',
      // The measured month contains forty of the events. A full table scan would take ten times as long.
      figures: [figureAtMost('median', manyEvents.median, fewEvents.median * 3 + 5, asMilliseconds)],
      notes: [manyEvents.note],
    },
    { label: '/calendar.ics of 5,000 events, rendered', figures: [figure('median', rendered.median, asMilliseconds)] },
    {
      label: '/calendar.ics of 5,000 events, cached',
      figures: [figureAtMost('median', cached.median, rendered.median / 5, asMilliseconds)],
    },
  ]
}

// Spreads the events evenly over the century around 2026.
function monthPage(count: number) {
  return measurePage('/calendar.data?month=2026-11', {
    fill: (db) => fill(db, count, (index) => Date.UTC(1976, 0, 1) + ((index * 7919) % CENTURY) * MS_PER_DAY),
    note: async (db) => {
      const { rows: plan } = await sql<{ detail: string }>`explain query plan select * from events
        where "deletedAt" is null and day >= '2026-11-01' and day <= '2026-12-05' order by day`.execute(db)
      return plan.map(({ detail }) => detail).join('; ')
    },
  })
}

function feed(isCached: boolean) {
  return measurePage('/calendar.ics', {
    fill: (db) => fill(db, 5000, (index) => Date.UTC(2026, 9, 25) + (index % FEED) * MS_PER_DAY),
    isCached,
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
  const noTimes = {
    startTime: null,
    endTime: null,
    attendance: false,
    membersOnly: false,
    capacity: null,
    deadline: null,
  }
  const metadata = { version: 1, createdAt: at, updatedAt: at, deletedAt: null }
  return { id: `event-${index}`, day, title: `予定${index}`, content: '西コートで三時間ほど', ...noTimes, ...metadata }
}
