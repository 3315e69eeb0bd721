import { useEffect } from 'react'
import { dayInJapan } from '../dates/japan.ts'
import { tellAnything } from '../live/listening.ts'
import { everyMinute } from '../ui/clock.ts'

// A page has the next days at hand: those that lie open at midnight need not all ask at once.
const SPREAD_MS = 30_000
const MISSED_MS = 2 * 60_000

/** Has a page that follows what changes read its data again when a day begins in Japan; `asOf` is when they were read. */
export function useNewDay(asOf: number) {
  useEffect(() => {
    let looked = asOf
    let timer: ReturnType<typeof setTimeout>
    const stop = everyMinute(asOf, (now) => {
      const wait = now - looked > MISSED_MS ? 0 : Math.random() * SPREAD_MS
      if (dayInJapan(now) !== dayInJapan(looked)) timer = setTimeout(tellAnything, wait)
      looked = now
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [asOf])
}
