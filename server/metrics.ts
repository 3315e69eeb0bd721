import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { readOutboxQueue } from '../app/mail/outbox.server.ts'
import { withTimeout } from '../app/platform/with-timeout.server.ts'
import packageJson from '../package.json' with { type: 'json' }
import type { SiteDependencies } from './http/request-dependencies.ts'
import { collectFromAllProcesses, shareMetrics } from './process-metrics.ts'

// Cached pages are in the first bucket, most renderings in the next two.
const SECONDS_BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export type Metrics = ReturnType<typeof createMetrics>
type SiteReads = Pick<SiteDependencies, 'db' | 'lastBackup' | 'databaseTimeouts'>

/** Creates the metrics of this process. Their names follow the conventions of Prometheus. */
export function createMetrics({ db, lastBackup, databaseTimeouts }: SiteReads) {
  const registry = new Registry()
  const registers = [registry]
  shareMetrics(registry)
  collectDefaultMetrics({ register: registry })
  // These three are gauges, but `_total` is the suffix of counters.
  for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`)
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Responses, by route pattern, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request headers to the response headers.',
    labelNames: ['route', 'method'],
    buckets: SECONDS_BUCKETS,
    registers,
  })
  const renderings = new Histogram({
    name: 'noren_document_rendering_seconds',
    help: 'Time to read the data of an HTML document and to render it, without the time in a queue.',
    buckets: SECONDS_BUCKETS,
    registers,
  })
  const lookups = new Counter({
    name: 'noren_page_cache_requests_total',
    help: 'Requests for pages that guests share, by result: hit or miss.',
    labelNames: ['result'],
    registers,
  })
  const backupFailures = new Counter({
    name: 'noren_backup_failures_total',
    help: 'Nightly backups that were not made, or whose trial restore failed.',
    registers,
  })
  // A database that does not respond gets one query, not one for each scrape.
  const readOutbox = shareWhilePending(() => readOutboxQueue(db))
  const collect = shareWhilePending(async () => {
    const siteMetrics = collectFromSite(readOutbox, lastBackup, databaseTimeouts.monitoring)
    return (await Promise.all([collectFromAllProcesses(registry), siteMetrics])).join('\n')
  })

  return {
    contentType: registry.contentType,

    /** Returns the metrics of the site and of all its processes as text. */
    collect,

    /** Counts a response. `route` is a pattern, because each value of a label is stored as a series of its own. */
    countResponse(response: { route: string; method: string; status: number; seconds: number }) {
      const { route, method, status, seconds } = response
      requests.inc({ route, method, status })
      durations.observe({ route, method }, seconds)
    },

    countCacheLookup: (result: 'hit' | 'miss') => lookups.inc({ result }),
    countBackupFailure: () => backupFailures.inc(),

    /** Starts the timer of a rendering. Returns the function that ends the timer. */
    startRendering: () => renderings.startTimer(),

    measureStreams(count: () => number) {
      new Gauge({
        name: 'noren_live_streams',
        help: 'Open live-update streams.',
        registers,
        collect() {
          this.set(count())
        },
      })
    },
  }
}

/** Returns the metrics that all processes share. Leaves out the outbox if the database cannot be read in time. */
async function collectFromSite(
  readOutbox: () => ReturnType<typeof readOutboxQueue>,
  lastBackup: SiteReads['lastBackup'],
  timeoutMs: number,
) {
  const registry = new Registry()
  const registers = [registry]
  const addGauge = (name: string, help: string, value: number) => new Gauge({ name, help, registers }).set(value)
  const version = new Gauge({
    name: 'noren_build_info',
    help: 'Version of the site.',
    labelNames: ['version'],
    registers,
  })
  version.set({ version: packageJson.version }, 1)

  const [queue, backupAt] = await Promise.all([readInTime(timeoutMs, readOutbox), readInTime(timeoutMs, lastBackup)])
  addGauge('noren_database_up', 'Whether the database responds: 1 or 0.', queue === undefined ? 0 : 1)
  if (queue) addGauge('noren_outbox_mails', 'E-mails that wait for their delivery.', queue.count)
  if (queue?.oldestAt)
    addGauge(
      'noren_outbox_oldest_mail_timestamp_seconds',
      'Time since which the oldest e-mail waits. Absent if no e-mail waits.',
      Date.parse(queue.oldestAt) / 1000,
    )
  addGauge(
    'noren_last_backup_timestamp_seconds',
    'Time of the newest backup, whose trial restore succeeded. 0 if there is no backup, or if the folder cannot be read.',
    (backupAt ?? 0) / 1000,
  )
  return registry.metrics()
}

function readInTime<T>(timeoutMs: number, read: () => Promise<T>): Promise<T | undefined> {
  return withTimeout<T | undefined>(timeoutMs, read, () => undefined).catch(() => undefined)
}

/** Returns a function that runs `work` once for all calls that arrive before its result. */
function shareWhilePending<T>(work: () => Promise<T>) {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= work().finally(() => {
      pending = undefined
    })
    return pending
  }
}
