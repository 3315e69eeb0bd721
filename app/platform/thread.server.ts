import { Worker } from 'node:worker_threads'
import PQueue from 'p-queue'
import { nextMessage } from './next-message.server.ts'

const IDLE_MS = 30_000
const TIMEOUT_MS = 20_000

/**
 * Runs tasks one at a time in a worker thread; `script` answers each message with one. The thread starts on demand and
 * ends after 30 idle seconds to free its memory. A crash, or a timeout of 20 seconds, rejects one task.
 */
export function createThread<Task, Result>(script: string) {
  const queue = new PQueue({ concurrency: 1 })
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined

  function start() {
    const started = new Worker(script, {
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    })
    started.unref()
    // Prevents an uncaught exception; `nextMessage` rejects on the error too.
    started.on('error', () => {})
    started.on('exit', () => {
      if (worker === started) worker = null
    })
    return started
  }

  function end() {
    worker?.terminate()
    worker = null
  }

  async function run(task: Task) {
    clearTimeout(idle)
    worker ??= start()
    try {
      worker.postMessage(task)
      return await nextMessage<Result>(worker, 'The thread', TIMEOUT_MS)
    } catch (error) {
      end()
      throw error
    } finally {
      idle = setTimeout(end, IDLE_MS).unref()
    }
  }

  return (task: Task, { urgent = false } = {}) => queue.add(() => run(task), { priority: urgent ? 1 : 0 })
}
