import { onTestFinished, vi } from 'vitest'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'

/**
 * Stops timers and Date of this test at `now`. The returned function advances the time by minutes. Before and after the
 * advance, this function waits until the repeated task has set its next timer.
 */
export function stopTimers(now: number) {
  vi.useFakeTimers({ now, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  // Each poll advances the fake clock by the interval, so the interval is 0.
  const waitForTimer = () => vi.waitUntil(() => vi.getTimerCount() > 0, { ...WAIT_OPTIONS, interval: 0 })
  return async (minutes: number) => {
    await waitForTimer()
    vi.advanceTimersByTime(minutes * 60_000)
    await waitForTimer()
  }
}
