import { availableParallelism } from 'node:os'
import { onPostgres } from '../../db/testing-postgres.ts'
import { startSite } from '../../scripts/start-site.ts'
import { asCount, figure, figureAtLeast, type Row } from './bench-figures.ts'
import { measureThroughput } from './bench-load.ts'

// PostgreSQL and the load generator also need cores, so a gain is required only if at least four cores are present.
const MIN_GAIN = availableParallelism() >= 4 ? 1.4 : 1
const gzipHeaders = { 'accept-encoding': 'gzip' }

/** Measures the gain in requests per second from a second process (WEB_PROCESSES) on one PostgreSQL. */
export function processes(): Promise<Row[]> {
  return onPostgres(async (url) => {
    const one = await measure(url, 1)
    const two = await measure(url, 2)
    return [
      row('/dining/new/add rendered fresh', one.fresh, two.fresh, MIN_GAIN),
      row('/dining cached', one.cached, two.cached, 1),
    ]
  })
}

async function measure(url: string, count: number) {
  await using site = await startSite({ DATABASE_URL: url, WEB_PROCESSES: `${count}`, LOG_LEVEL: 'warn' })
  const port = Number(new URL(site.address).port)
  const fresh = await measureThroughput(port, gzipHeaders, '/dining/new/add')
  const cached = await measureThroughput(port, gzipHeaders)
  return { fresh: fresh.requestsPerSecond, cached: cached.requestsPerSecond }
}

function row(label: string, one: number, two: number, minimum: number): Row {
  const ratio = figureAtLeast('two : one', two / one, minimum, (times) => times.toFixed(2))
  return { label, figures: [figure('one, requests/s', one, asCount), figure('two', two, asCount), ratio], notes: [] }
}
