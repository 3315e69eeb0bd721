import { failureOf } from './failure.ts'

/** The holder must stop waiting at `until`, in performance.now() time. */
export type Slot = { release: (isDone: boolean) => void; until: number }
export type Semaphore = ReturnType<typeof createSemaphore>

/** FIFO. Rejects after `timeout` ms without done work: a moving queue may be long. Units must not exceed `capacity`. */
export function createSemaphore(capacity: number, timeout: number, tooLate: () => Error) {
  const waiting: { units: number; enter: () => void }[] = []
  let free = capacity
  let doneAt = Number.NEGATIVE_INFINITY

  function enterWaiting() {
    for (let next = waiting[0]; next && next.units <= free; next = waiting[0]) {
      waiting.shift()
      free -= next.units
      next.enter()
    }
  }

  function waitForUnits(units: number, until: () => number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const check = () => {
      const left = until() - performance.now()
      if (left > 0) {
        timer = setTimeout(check, left)
        return
      }
      waiting.splice(waiting.indexOf(entry), 1)
      reject(tooLate())
      enterWaiting()
    }
    let timer = setTimeout(check, until() - performance.now())
    const enter = () => {
      clearTimeout(timer)
      resolve()
    }
    const entry = { units, enter }
    waiting.push(entry)
    return promise
  }

  return {
    async take(units = 1): Promise<Slot> {
      const startedAt = performance.now()
      const until = () => Math.max(startedAt, doneAt) + timeout
      if (waiting.length === 0 && units <= free) free -= units
      else await waitForUnits(units, until)
      const release = (isDone: boolean) => {
        if (isDone) doneAt = performance.now()
        free += units
        enterWaiting()
      }
      return { release, until: until() }
    },
  }
}

/** Work that throws anything but a database failure counts as done. */
export async function inSlot<T>(semaphore: Semaphore, work: (until: number) => Promise<T>, units = 1) {
  const { release, until } = await semaphore.take(units)
  let isDone = true
  try {
    return await work(until)
  } catch (error) {
    isDone = !failureOf(error)
    throw error
  } finally {
    release(isDone)
  }
}
