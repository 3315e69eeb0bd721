import { setTimeout as pause } from 'node:timers/promises'
import { deedsOf, doOne, writeMessage } from './operations.ts'
import type { Hand } from './actor.ts'
import { openLedger } from './operation-log.ts'
import type { Place } from './site-copy.ts'
import { randomFrom } from './random.ts'

const GUEST_WRITES_EVERY_MS = 120
const AFTER_NO_ANSWER_MS = 25

export type Writer = ReturnType<typeof openWriter>

/**
 * Opens a workload of people who write to a site concurrently, as its users do. The seed determines their operations.
 */
export function openWriter({ cookies }: Pick<Place, 'cookies'>, seed: number) {
  const ledger = openLedger()
  const handOf = (person: Hand['person'], seed: number): Omit<Hand, 'address'> => {
    const own = { cards: [], binned: [], events: [], specialDays: [], applicants: [], pages: [], hired: [] }
    return { person, cookies, ledger, random: randomFrom(seed), ...own, registering: new Set() }
  }
  const hands = { administrator: handOf('administrator', seed * 31), approved: handOf('approved', seed * 31 + 1) }

  async function edit(hand: Omit<Hand, 'address'>, address: string, stopping: AbortSignal) {
    const own = { ...hand, address }
    while (!stopping.aborted) {
      const sent = ledger.deeds.length
      await doOne(own)
      const unanswered = ledger.deeds.slice(sent).some(({ state }) => state === 'unknown')
      // Pauses after an operation without a response, to limit the request rate.
      if (unanswered || ledger.deeds.length === sent) await pause(AFTER_NO_ANSWER_MS)
    }
  }

  async function ask(address: string, stopping: AbortSignal) {
    while (!stopping.aborted) {
      await writeMessage({ address, ledger })
      await pause(GUEST_WRITES_EVERY_MS)
    }
  }

  return {
    ledger,
    hands,
    /** Runs each operation of each person once without a fault, because all of them must succeed then. */
    async doEach(address: string) {
      await writeMessage({ address, ledger })
      for (const hand of Object.values(hands))
        for (const [, deed] of deedsOf(hand.person)) await deed({ ...hand, address })
    },
    /** Writes until `stopping` aborts. Resolves after the last response. */
    async write(address: string, stopping: AbortSignal) {
      await Promise.all([...Object.values(hands).map((hand) => edit(hand, address, stopping)), ask(address, stopping)])
    },
    /** Writes for this number of milliseconds. */
    async writeFor(address: string, ms: number) {
      await this.write(address, AbortSignal.timeout(ms))
    },
  }
}
