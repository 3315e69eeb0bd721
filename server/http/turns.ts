import { setImmediate as nextTurnOfTheLoop, setTimeout as wait } from 'node:timers/promises'
import type { Visitor } from '../../app/permissions.ts'
import { createGate } from '../../app/platform/gate.ts'

const MOST_AT_ONCE = 4
const MOST_WAITING = 100
const REFUSED_AFTER_MS = 1000

/**
 * Turns for what is made afresh: a few at a time, so that who asks for a page at hand is answered between. Guests do not
 * stand before those who are signed in, nor readers before who writes.
 */
export function createTurns() {
  const lane = () => createGate({ places: MOST_AT_ONCE, room: Number.POSITIVE_INFINITY })
  const lanes = { guest: { reading: lane(), writing: lane() }, known: { reading: lane(), writing: lane() } }
  let begun: Promise<unknown> = Promise.resolve()

  // SQLite answers at once: without this, one would be made after the other before anything else is looked at.
  function begin() {
    begun = begun.then(() => nextTurnOfTheLoop())
    return begun
  }

  return {
    /** Does the work in its turn; null, after a second, where too many wait already: who asks again at once gains nothing. */
    async inTurn<T>(visitor: Visitor, method: string, work: () => Promise<T>) {
      const gate = lanes[visitor ? 'known' : 'guest'][method === 'GET' ? 'reading' : 'writing']
      return gate.waiting() < MOST_WAITING ? gate.pass(0, () => begin().then(work)) : wait(REFUSED_AFTER_MS, null)
    },
  }
}
