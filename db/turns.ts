import { type Failure, failureOf } from './failure.ts'

/** Slot of the semaphore: `leave` frees it, with whether the work was done; waits inside the slot end at `until`. */
export type Turn = { leave: (done: boolean) => void; until: number }

/**
 * FIFO semaphore. `take` rejects with `tooLate()` if for `patience` milliseconds no slot was free and no work was done,
 * so a long queue that moves is accepted. `until` is in the time of performance.now().
 */
export function createTurns(places: number, patience: number, tooLate: () => Error) {
  const waiting: (() => void)[] = []
  let free = places
  let doneAt = Number.NEGATIVE_INFINITY

  function leave(done: boolean) {
    if (done) doneAt = performance.now()
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }

  return async function take(): Promise<Turn> {
    const came = performance.now()
    const until = () => Math.max(came, doneAt) + patience
    if (free > 0) free -= 1
    else await waitForPlace(until)
    return { leave, until: until() }
  }

  function waitForPlace(until: () => number) {
    return new Promise<void>((resolve, reject) => {
      const look = () => {
        const left = until() - performance.now()
        if (left > 0) {
          timer = setTimeout(look, left)
          return
        }
        waiting.splice(waiting.indexOf(enter), 1)
        reject(tooLate())
      }
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      let timer = setTimeout(look, until() - performance.now())
      waiting.push(enter)
    })
  }
}

/** Runs the work in a slot. An error that is no database failure counts as done. */
export async function inTurn<T>(take: () => Promise<Turn>, work: (until: number) => Promise<T>) {
  const { leave, until } = await take()
  let failure: Failure | null = null
  try {
    return await work(until)
  } catch (error) {
    failure = failureOf(error)
    throw error
  } finally {
    leave(!failure)
  }
}
