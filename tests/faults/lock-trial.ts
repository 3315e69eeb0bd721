import SQLite from 'better-sqlite3'
import pg from 'pg'
import { type Fault, runUnderFault } from './fault-run.ts'
import { runOnEngines, type TrialOptions, type TrialResult } from './goals.ts'
import type { SiteCopy } from './site-copy.ts'

/** Makes another program lock the whole database on SQLite, or the tables with saved rows on PostgreSQL. */
export async function lock({ runs = 3, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  // The site can read, so the health check succeeds.
  const isCorrectHealth = (status: number) => status === 200
  const options = { runs, seed, durationMs: [1000, 9000] as [number, number], isCorrectHealth }
  return runOnEngines(selectedEngines, (engine) =>
    runUnderFault({ ...options, engine, open: engine === 'SQLite' ? lockFile : lockTables }),
  )
}

function lockFile({ file }: SiteCopy): Fault {
  const other = new SQLite(file, { timeout: 10_000 })
  return {
    settings: {},
    begin: () => void other.exec('begin immediate'),
    end: () => void other.exec('rollback'),
    close: () => void other.close(),
  }
}

async function lockTables({ url }: SiteCopy): Promise<Fault> {
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
