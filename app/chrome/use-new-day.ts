import { useEffect } from 'react'
import { dayInJapan } from '../dates/japan.ts'
import { notifyAll } from '../live/subscription.ts'
import { everyMinute } from '../ui/clock.ts'

// Pages already have the data of the next days, so the requests at midnight can be spread out.
const SPREAD_MS = 30_000
const MISSED_MS = 2 * 60_000

/** Revalidates a live page when a day begins in Japan. `asOf` dates the loaded data, in milliseconds since 1970. */
export function useNewDay(asOf: number) {
  useEffect(() => {
    let looked = asOf
    let timer: ReturnType<typeof setTimeout>
    const stop = everyMinute(asOf, (now) => {
      const wait = now - looked > MISSED_MS ? 0 : Math.random() * SPREAD_MS
      if (dayInJapan(now) !== dayInJapan(looked)) timer = setTimeout(notifyAll, wait)
      looked = now
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [asOf])
}
