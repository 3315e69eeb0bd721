import { onTestFinished, vi } from 'vitest'

/**
 * Returns the result of the work, whose timeouts pass at once. Timers of `node:timers/promises` keep the real time.
 */
export async function withoutWaiting<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    let isSettled = false
    const result = work().finally(() => {
      isSettled = true
    })
    result.catch(() => {})
    while (!isSettled) await vi.advanceTimersByTimeAsync(1000)
    return await result
  } finally {
    vi.useRealTimers()
  }
}

/** Prevents repeated tasks, such as heartbeats and checks of connections, until the test ends. */
export function stopIntervals() {
  const spy = vi.spyOn(globalThis, 'setInterval').mockImplementation(() => setTimeout(() => {}))
  onTestFinished(() => spy.mockRestore())
}

/** Prevents `AbortSignal.timeout` from aborting a request until the test ends. */
export function stopAbortTimeouts() {
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
  onTestFinished(() => spy.mockRestore())
}
