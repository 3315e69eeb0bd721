import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { AggregatorRegistry, type Registry } from 'prom-client'

const REQUEST = 'noren: collect metrics'
type Reply = { collectedMetrics: string | null }

/** Collects the metrics of all processes for a process that requests them. Runs in the primary process. */
export function answerMetricsRequests(log: Logger) {
  const aggregator = new AggregatorRegistry()
  cluster.on('message', async (worker, message) => {
    if (message !== REQUEST) return
    const collectedMetrics = await aggregator.clusterMetrics().catch((err) => {
      log.warn({ err }, 'metrics not collected')
      return null
    })
    // The process may have ended.
    worker.send({ collectedMetrics } satisfies Reply, () => {})
  })
}

/**
 * Returns the metrics of all processes as text, or only those of this process if a process does not respond within five
 * seconds. A process that starts does not respond, and each series names its process.
 */
export async function collectFromAllProcesses(registry: Registry) {
  if (!cluster.isWorker) return registry.metrics()
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const receive = (message: Partial<Reply>) => {
    if (message.collectedMetrics !== undefined) resolve(message.collectedMetrics)
  }
  process.on('message', receive)
  try {
    process.send?.(REQUEST)
    return (await promise) ?? (await registry.metrics())
  } finally {
    process.off('message', receive)
  }
}

/** Makes the metrics of this process available to the primary process. */
export function shareMetrics(registry: Registry) {
  if (!cluster.isWorker) return
  registry.setDefaultLabels({ process: `${cluster.worker?.id}` })
  AggregatorRegistry.setRegistries(registry)
  new AggregatorRegistry()
}
