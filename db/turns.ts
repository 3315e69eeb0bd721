import { type Failure, failureOf } from './failure.ts'

/** A place that was taken: how to leave it, saying whether what it was for was done, and how long to be patient there. */
export type Turn = { leave: (done: boolean) => void; until: number }

/**
 * So many places, taken in the order of their coming. `take` rejects with what `tooLate` makes where for `patience`
 * milliseconds there was no place and nobody got anything done: a queue that moves may be long. `until` is by
 * performance.now().
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

/** Does the work in a turn, and leaves it; what fails by itself, and not by the database, was done. */
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
