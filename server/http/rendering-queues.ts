import { setImmediate as nextEventLoopTurn, setTimeout as wait } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Visitor } from '../../app/permissions.ts'

const MAX_CONCURRENT = 4
const MAX_WAITING = 100
const REJECTION_DELAY_MS = 1000

/** Creates queues with few slots, so that cached pages are sent between renderings. Guests never delay members. */
export function createRenderingQueues() {
  const createQueue = () => new PQueue({ concurrency: MAX_CONCURRENT })
  const queues = {
    guest: { reading: createQueue(), writing: createQueue() },
    known: { reading: createQueue(), writing: createQueue() },
  }
  let previousStart: Promise<unknown> = Promise.resolve()

  // SQLite queries block the event loop. Without this pause, queued renderings would block all other requests.
  function startInNextTurn() {
    previousStart = previousStart.then(() => nextEventLoopTurn())
    return previousStart
  }

  return {
    /** Runs `work` in a slot. If too many wait, resolves with null after a second, because clients retry at once. */
    async run<T>(visitor: Visitor, method: string, work: () => Promise<T>) {
      const queue = queues[visitor ? 'known' : 'guest'][method === 'GET' ? 'reading' : 'writing']
      return queue.size < MAX_WAITING ? queue.add(() => startInNextTurn().then(work)) : wait(REJECTION_DELAY_MS, null)
    },
  }
}
