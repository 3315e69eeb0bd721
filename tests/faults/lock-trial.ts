import SQLite from 'better-sqlite3'
import pg from 'pg'
import { type Fault, withstand } from './fault-run.ts'
import { type Asked, onEach, type Tried } from './goals.ts'
import type { Place } from './site-copy.ts'

/** Locks the database on SQLite, or the tables with saved rows on PostgreSQL, from another program. */
export async function lock({ runs = 3, seed, on }: Asked): Promise<Tried[]> {
  // The site can read, so the health check succeeds.
  const truthful = (status: number) => status === 200
  const how = { runs, seed, lasts: [1000, 9000] as [number, number], truthful }
  return onEach(on, (engine) => withstand({ ...how, engine, open: engine === 'SQLite' ? ofFile : ofRows }))
}

function ofFile({ file }: Place): Fault {
  const other = new SQLite(file, { timeout: 10_000 })
  return {
    settings: {},
    begin: () => void other.exec('begin immediate'),
    end: () => void other.exec('rollback'),
    close: () => void other.close(),
  }
}

async function ofRows({ url }: Place): Promise<Fault> {
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  return {
    settings: {},
    begin: async () => {
      await other.query('begin')
      await other.query('lock table cards, events, "specialDays", messages in exclusive mode')
    },
    end: async () => void (await other.query('rollback')),
    close: () => other.end(),
  }
}
