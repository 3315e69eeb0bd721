import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from 'pino'

const RESTART_DELAY_MS = 1000

export function isFirstProcess() {
  return !cluster.worker || cluster.worker.id === 1
}

/** The first process does the one-time work. Exits if it fails; later replaces ended processes. */
export async function startProcesses(count: number, log: Logger) {
  let state: 'starting' | 'open' | 'stopping' = 'starting'
  const running = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

  cluster.on('exit', ({ process: { pid } }, code, signal) => {
    if (state === 'starting') process.exit(code || 1)
    if (state === 'open') {
      log.error({ ended: pid, code, signal }, 'process replaced')
      setTimeout(() => state === 'open' && cluster.fork(), RESTART_DELAY_MS)
    } else if (running().length === 0) process.exit(0)
  })
  const stop = () => {
    state = 'stopping'
    if (running().length === 0) process.exit(0)
    for (const worker of running()) worker.process.kill('SIGTERM')
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)

  cluster.fork()
  await once(cluster, 'listening')
  if (state !== 'starting') return
  state = 'open'
  for (let started = 1; started < count; started += 1) cluster.fork()
}
