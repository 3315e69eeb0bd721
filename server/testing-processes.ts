import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { Db } from '../db/tables.ts'

/** Returns the PostgreSQL connections on which the processes listen for notifications. */
export async function listenersOn(db: Db) {
  const listening = sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and query = 'listen noren'`
  return (await listening.execute(db)).rows
}

/** Waits until `count` processes listen for notifications. */
export const waitForListeners = (db: Db, count: number) =>
  vi.waitFor(async () => expect(await listenersOn(db)).toHaveLength(count), 10_000)
