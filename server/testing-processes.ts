import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { Db } from '../db/tables.ts'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'

/** Returns the PostgreSQL connections on which the processes listen for notifications or start to listen. */
export async function listenersOn(db: Db) {
  const listening = sql<{ pid: number; state: string }>`
    select pid, state from pg_stat_activity where datname = current_database() and query = 'listen noren'`
  return (await listening.execute(db)).rows
}

/** Waits until `count` processes listen for notifications. */
export const waitForListeners = (db: Db, count: number) =>
  vi.waitFor(async () => {
    const listeners = await listenersOn(db)
    // A connection is idle after the commit of its statement.
    expect(listeners.filter(({ state }) => state === 'idle')).toHaveLength(count)
  }, WAIT_OPTIONS)
