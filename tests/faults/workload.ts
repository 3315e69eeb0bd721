import { setTimeout as pause } from 'node:timers/promises'
import type { Actor } from './actor.ts'
import { openOperationLog } from './operation-log.ts'
import { permittedOperations, runRandom, writeMessage } from './operations.ts'
import { randomFrom } from './random.ts'
import type { SiteCopy } from './site-copy.ts'

const GUEST_INTERVAL_MS = 120
const RETRY_DELAY_MS = 25

export type Workload = ReturnType<typeof openWorkload>

/** Opens a workload of people who write to a site concurrently. The seed determines their operations. */
export function openWorkload({ cookies }: Pick<SiteCopy, 'cookies'>, seed: number) {
  const log = openOperationLog()
  const createActor = (person: Actor['person'], seed: number): Omit<Actor, 'address'> => {
    const ownActor = { cards: [], binned: [], events: [], specialDays: [], applicants: [], pages: [], hired: [] }
    return { person, cookies, log, random: randomFrom(seed), ...ownActor, registering: new Set() }
  }
  const actors = {
    administrator: createActor('administrator', seed * 31),
    approved: createActor('approved', seed * 31 + 1),
  }

  async function runOperations(actor: Omit<Actor, 'address'>, address: string, stopSignal: AbortSignal) {
    const ownActor = { ...actor, address }
    while (!stopSignal.aborted) {
      const countBefore = log.operations.length
      await runRandom(ownActor)
      const isWithoutResponse = log.operations.slice(countBefore).some(({ state }) => state === 'unknown')
      // Pauses after an operation without a response, to limit the request rate.
      if (isWithoutResponse || log.operations.length === countBefore) await pause(RETRY_DELAY_MS)
    }
  }

  async function writeMessages(address: string, stopSignal: AbortSignal) {
    while (!stopSignal.aborted) {
      await writeMessage({ address, log })
      await pause(GUEST_INTERVAL_MS)
    }
  }

  return {
    log,
    actors,
    /** Runs each operation of each person once. There is no fault, so all operations must succeed. */
    async runEach(address: string) {
      await writeMessage({ address, log })
      for (const actor of Object.values(actors))
        for (const [, operation] of permittedOperations(actor.person)) await operation({ ...actor, address })
    },
    /** Writes until `stopSignal` aborts. Resolves after the last response. */
    async write(address: string, stopSignal: AbortSignal) {
      await Promise.all([
        ...Object.values(actors).map((actor) => runOperations(actor, address, stopSignal)),
        writeMessages(address, stopSignal),
      ])
    },
    /** Writes for `ms` milliseconds. */
    async writeFor(address: string, ms: number) {
      await this.write(address, AbortSignal.timeout(ms))
    },
  }
}
