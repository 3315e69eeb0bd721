import { onTestFinished, vi } from 'vitest'

/**
 * Stops timers and Date of this test at `now`. The returned function advances the time by minutes. Before and after the
 * advance, this function waits until the repeated task has set its next timer.
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
