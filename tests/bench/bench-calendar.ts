import { sql } from 'kysely'
import { Event } from '../../app/calendar/event.ts'
import { addSeries } from '../../app/calendar/events.server.ts'
import { listOccurrences } from '../../app/calendar/series.ts'
import type { Db } from '../../db/tables.ts'
import { asMilliseconds, figure, figureAtMost, type Row } from './bench-figures.ts'
import { measurePage } from './bench-page-in-memory.ts'

const MS_PER_DAY = 24 * 60 * 60 * 1000
const CENTURY = 100 * 365
const FEED = 390
const SERIES = 4
const OCCURRENCES = 200
const MAX_RATIO = 1.2

/**
 * Measures a month page with 100 and with 100,000 stored events, the feed of 5,000 events, and a month page with and
 * without repeating events.
 */
export async function calendar(): Promise<Row[]> {
  const fewEvents = await monthPage(100)
  const manyEvents = await monthPage(100_000)
  const rendered = await feed(false)
  const cached = await feed(true)
  const [plain, repeating] = await compareRepeating()
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
    { label: '/calendar, no repeating events', figures: [figure('processor', plain, asMilliseconds)] },
    {
      label: `/calendar, ${OCCURRENCES} repeating events in ${SERIES} series`,
      figures: [
        figure('processor', repeating, asMilliseconds),
        figureAtMost('to those without', repeating / plain, MAX_RATIO, (ratio) => ratio.toFixed(2)),
      ],
    },
  ]
}

// Other programs slow down single runs, so the figures are the minimum of alternating runs.
async function compareRepeating() {
  const times: [number[], number[]] = [[], []]
  for (let run = 0; run < 7; run += 1) {
    times[0].push((await measurePage('/calendar?month=2026-12', { fill: async () => {} })).cpu)
    times[1].push((await measurePage('/calendar?month=2026-12', { fill: fillSeries })).cpu)
  }
  return [Math.min(...times[0]), Math.min(...times[1])] as const
}

async function fillSeries(db: Db) {
  const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
  for (let index = 0; index < SERIES; index += 1) {
    const event = Event.parse({ day: `2026-11-${21 + index}`, title: `練習${index}`, startTime: '09:00' })
    const days = listOccurrences('毎週', event.day, '2100-12-31').slice(0, OCCURRENCES / SERIES)
    await addSeries(db, crypto.randomUUID(), { event, recurrence: '毎週', days }, author)
  }
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

async function fill(db: Db, count: number, midnightOf: (index: number) => number) {
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
