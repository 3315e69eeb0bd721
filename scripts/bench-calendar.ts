import { sql } from 'kysely'
import { collectedMailer } from '../app/mail/mailer.server.ts'
import { openDatabase } from '../db/open.ts'
import { readSettings } from '../server/settings.ts'
import { asMilliseconds, atMost, figure, median, type Row } from './bench-figures.ts'

const DAYS = 100 * 365
const ASKED = 60

/** How long a month's page takes where 100 events are stored, and where 100,000 are. */
export async function calendar(): Promise<Row[]> {
  process.env.NODE_ENV = 'production'
  const few = await monthPage(100)
  const many = await monthPage(100_000)
  return [
    { what: '/calendar.data, 100 events', figures: [figure('median', few.median, asMilliseconds)], notes: [few.plan] },
    {
      what: '/calendar.data, 100,000 events',
      // 40 of them are in the month; a table read whole would take ten times as long.
      figures: [atMost('median', many.median, few.median * 3 + 5, asMilliseconds)],
      notes: [many.plan],
    },
  ]
}

async function monthPage(count: number) {
  const bundle = '../build/server/app.js'
  const { createApp, createLive }: typeof import('../server/app.ts') = await import(bundle)
  const db = await openDatabase({ file: ':memory:' })
  const rows = Array.from({ length: count }, (_, index) => eventOf(index))
  for (let start = 0; start < count; start += 1000)
    await db
      .insertInto('events')
      .values(rows.slice(start, start + 1000))
      .execute()

  const { default: pino } = await import('pino')
  const clock = () => Date.parse('2026-11-20T12:00:00+09:00')
  const log = pino({ level: 'silent' })
  const app = createApp({
    db,
    live: createLive(db),
    clock,
    log,
    mailer: collectedMailer(),
    lastBackup: async () => null,
    secret: 'of no use anywhere else',
    settings: readSettings({}),
  })
  const times: number[] = []
  for (let time = 0; time < ASKED; time += 1) {
    const began = performance.now()
    const response = await app.request('http://localhost/calendar.data?month=2026-11')
    await response.text()
    if (response.status !== 200) throw new Error(`The month answered ${response.status}.`)
    times.push(performance.now() - began)
  }
  const { rows: plan } = await sql<{ detail: string }>`explain query plan select * from events
    where "deletedAt" is null and day >= '2026-11-01' and day <= '2026-12-05' order by day`.execute(db)
  await db.destroy()
  return { median: median(times.slice(ASKED / 2)), plan: plan.map(({ detail }) => detail).join('; ') }
}

// Spread evenly over the century around 2026.
function eventOf(index: number) {
  const at = '2026-11-20T03:00:00.000Z'
  const day = new Date(Date.UTC(1976, 0, 1) + ((index * 7919) % DAYS) * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const whole = { startTime: null, endTime: null, attendance: 0, capacity: null, deadline: null }
  const kept = { version: 1, createdAt: at, updatedAt: at, deletedAt: null }
  return { id: `event-${index}`, day, title: `予定${index}`, content: '', ...whole, ...kept }
}
