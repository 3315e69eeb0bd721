import { setImmediate as nextTurnOfTheLoop, setTimeout as wait } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Visitor } from '../../app/permissions.ts'

const MAX_AT_ONCE = 4
const MAX_WAITING = 100
const REFUSED_AFTER_MS = 1000

/** Creates queues with few rendering slots, so that cached pages are served in between. Guests never delay members. */
export function createRenderingQueues() {
  const lane = () => new PQueue({ concurrency: MAX_AT_ONCE })
  const lanes = { guest: { reading: lane(), writing: lane() }, known: { reading: lane(), writing: lane() } }
  let begun: Promise<unknown> = Promise.resolve()

  // SQLite responds synchronously. Without this pause, queued renderings would block all other requests.
  function begin() {
    begun = begun.then(() => nextTurnOfTheLoop())
    return begun
  }

  return {
    /** Runs the work in a slot. If too many wait, resolves with null after a second, because clients retry at once. */
    async inTurn<T>(visitor: Visitor, method: string, work: () => Promise<T>) {
      const queue = lanes[visitor ? 'known' : 'guest'][method === 'GET' ? 'reading' : 'writing']
      return queue.size < MAX_WAITING ? queue.add(() => begin().then(work)) : wait(REFUSED_AFTER_MS, null)
    },
  }
}
