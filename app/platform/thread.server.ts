import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const IDLE_MS = 30_000
const MAX_MS = 20_000

type Wanted<Task, Result> = { task: Task; urgent: boolean; result: PromiseWithResolvers<Result> }

/**
 * Runs tasks one at a time in a worker thread; `script` answers each message with one. The thread starts on demand and
 * ends after 30 idle seconds to free its memory. A crash, or a timeout of 20 seconds, rejects one task.
 */
export function createThread<Task, Result>(script: string) {
  const doNow = createWorker<Task, Result>(script)
  const queue: Wanted<Task, Result>[] = []
  let working = false

  async function work() {
    if (working) return
    working = true
    for (let next = startNext(); next; next = startNext()) {
      await doNow(next.task).then(next.result.resolve, next.result.reject)
    }
    working = false
  }

  function startNext() {
    const urgent = queue.findIndex((wanted) => wanted.urgent)
    return queue.splice(Math.max(0, urgent), 1)[0]
  }

  return (task: Task, { urgent = false } = {}) => {
    const result = Promise.withResolvers<Result>()
    queue.push({ task, urgent, result })
    work()
    return result.promise
  }
}

function createWorker<Task, Result>(script: string) {
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined

  function begin() {
    const begun = new Worker(script, {
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    })
    begun.unref()
    // Prevents an uncaught exception; `once` rejects on the error too.
    begun.on('error', () => {})
    begun.on('exit', () => {
      if (worker === begun) worker = null
    })
    return begun
  }

  function end() {
    worker?.terminate()
    worker = null
  }

  return async (task: Task) => {
    clearTimeout(idle)
    worker ??= begin()
    const answered = new AbortController()
    const signal = AbortSignal.any([answered.signal, AbortSignal.timeout(MAX_MS)])
    try {
      worker.postMessage(task)
      const ended = once(worker, 'exit', { signal }).then(([code]) => {
        throw new Error(`The thread ended with ${code}`)
      })
      const [result] = await Promise.race([once(worker, 'message', { signal }), ended])
      return result as Result
    } catch (error) {
      end()
      throw error
    } finally {
      answered.abort()
      idle = setTimeout(end, IDLE_MS).unref()
    }
  }
}
