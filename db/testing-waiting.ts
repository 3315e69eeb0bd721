import { type Kysely, sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { Tables } from './tables.ts'

/** Comes back once so many connections to this PostgreSQL wait for a lock that another one holds. */
export async function untilWaiting(db: Kysely<Tables>, count: number) {
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    expect(rows).toHaveLength(count)
  }, 10_000)
}
