import { availableParallelism } from 'node:os'
import { onPostgres } from '../../db/testing-postgres.ts'
import { startSite } from '../../scripts/start-site.ts'
import { asCount, atLeast, figure, type Row } from './bench-figures.ts'
import { serve } from './bench-load.ts'

// PostgreSQL and the load generator also need cores.
const GAIN = availableParallelism() >= 4 ? 1.4 : 1
const asking = { 'accept-encoding': 'gzip' }

/** Measures the gain of a second process (WEB_PROCESSES) on one PostgreSQL. */
export function processes(): Promise<Row[]> {
  return onPostgres(async (url) => {
    const one = await served(url, 1)
    const two = await served(url, 2)
    return [
      row('/dining/new/add rendered fresh', one.fresh, two.fresh, GAIN),
      row('/dining as kept for everyone', one.kept, two.kept, 1),
    ]
  })
}

async function served(url: string, count: number) {
  await using site = await startSite({ DATABASE_URL: url, WEB_PROCESSES: `${count}`, LOG_LEVEL: 'warn' })
  const port = Number(new URL(site.address).port)
  const fresh = await serve(port, asking, '/dining/new/add')
  const kept = await serve(port, asking)
  return { fresh: fresh.requestsPerSecond, kept: kept.requestsPerSecond }
}

function row(what: string, one: number, two: number, least: number): Row {
  const ratio = atLeast('two : one', two / one, least, (times) => times.toFixed(2))
  return { what, figures: [figure('one, requests/s', one, asCount), figure('two', two, asCount), ratio], notes: [] }
}
