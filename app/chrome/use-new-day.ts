import { useEffect } from 'react'
import { dayInJapan } from '../dates/japan.ts'
import { notifyAll } from '../live/stream-client.ts'
import { everyMinute } from '../ui/clock.ts'

// Pages already have the data of the next days, so the requests at midnight can be spread out.
const MAX_DELAY_MS = 30_000
const SLEEP_THRESHOLD_MS = 2 * 60_000

/** Revalidates a live page when a day begins in Japan. `loadedAt` is the Unix time of the data in milliseconds. */
export function useNewDay(loadedAt: number) {
  useEffect(() => {
    let lastCheck = loadedAt
    let timer: ReturnType<typeof setTimeout>
    const stop = everyMinute(loadedAt, (now) => {
      const delay = now - lastCheck > SLEEP_THRESHOLD_MS ? 0 : Math.random() * MAX_DELAY_MS
      if (dayInJapan(now) !== dayInJapan(lastCheck)) timer = setTimeout(notifyAll, delay)
      lastCheck = now
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [loadedAt])
}
