import { sql } from 'kysely'
import { asMilliseconds, atMost, figure, type Row } from './bench-figures.ts'
import { timesOf } from './bench-page-in-memory.ts'

const DAYS = 100 * 365

/** How long a month's page takes where 100 events are stored, and where 100,000 are. */
export async function calendar(): Promise<Row[]> {
  const few = await monthPage(100)
  const many = await monthPage(100_000)
  return [
    { what: '/calendar.data, 100 events', figures: [figure('median', few.median, asMilliseconds)], notes: [few.note] },
    {
      what: '/calendar.data, 100,000 events',
      // 40 of them are in the month; a table read whole would take ten times as long.
      figures: [atMost('median', many.median, few.median * 3 + 5, asMilliseconds)],
      notes: [many.note],
    },
  ]
}

async function monthPage(count: number) {
  return await timesOf('/calendar.data?month=2026-11', {
    fill: async (db) => {
      const rows = Array.from({ length: count }, (_, index) => eventOf(index))
      for (let start = 0; start < count; start += 1000)
        await db
          .insertInto('events')
          .values(rows.slice(start, start + 1000))
          .execute()
    },
    note: async (db) => {
      const { rows: plan } = await sql<{ detail: string }>`explain query plan select * from events
        where "deletedAt" is null and day >= '2026-11-01' and day <= '2026-12-05' order by day`.execute(db)
      return plan.map(({ detail }) => detail).join('; ')
    },
  })
}

// Spread evenly over the century around 2026.
function eventOf(index: number) {
  const at = '2026-11-20T03:00:00.000Z'
  const day = new Date(Date.UTC(1976, 0, 1) + ((index * 7919) % DAYS) * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const whole = { startTime: null, endTime: null, attendance: 0, capacity: null, deadline: null }
  const kept = { version: 1, createdAt: at, updatedAt: at, deletedAt: null }
  return { id: `event-${index}`, day, title: `予定${index}`, content: '', ...whole, ...kept }
}
