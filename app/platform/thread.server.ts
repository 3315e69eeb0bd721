import { Worker } from 'node:worker_threads'
import PQueue from 'p-queue'
import { nextMessage } from './next-message.server.ts'

const IDLE_TIMEOUT_MS = 30_000
const TIMEOUT_MS = 20_000

/** Runs tasks one at a time. The thread ends after 30 idle seconds to free memory. A task rejects after 20 seconds. */
export function createThread<Task, Result>(script: string) {
  const queue = new PQueue({ concurrency: 1 })
  let worker: Worker | null = null
  let idleTimer: NodeJS.Timeout | undefined

  function start() {
    const newWorker = new Worker(script, {
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    })
    newWorker.unref()
    // Prevents an uncaught exception; `nextMessage` rejects on the error too.
    newWorker.on('error', () => {})
    newWorker.on('exit', () => {
      if (worker === newWorker) worker = null
    })
    return newWorker
  }

  function terminate() {
    worker?.terminate()
    worker = null
  }

  async function run(task: Task) {
    clearTimeout(idleTimer)
    worker ??= start()
    try {
      worker.postMessage(task)
      return await nextMessage<Result>(worker, 'worker thread', TIMEOUT_MS)
    } catch (error) {
      terminate()
      throw error
    } finally {
      idleTimer = setTimeout(terminate, IDLE_TIMEOUT_MS).unref()
    }
  }

  return (task: Task, { urgent = false } = {}) => queue.add(() => run(task), { priority: urgent ? 1 : 0 })
}
