import { onTestFinished, vi } from 'vitest'

/**
 * Stops the timers and the date of this test at a time. The function returned lets minutes pass, and waits before and
 * after them until whatever repeats itself has set its next timer.
 */
export function stopTimers(now: number) {
  vi.useFakeTimers({ now, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const looked = () => vi.waitUntil(() => vi.getTimerCount() > 0, { interval: 5 })
  return async (minutes: number) => {
    await looked()
    vi.advanceTimersByTime(minutes * 60_000)
    await looked()
  }
}
