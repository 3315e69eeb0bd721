import { useEffect } from 'react'
import { useRevalidator } from 'react-router'
import { everyMinute } from '../ui/clock.ts'
import { timeInJapan } from './japan.ts'

/** Revalidates the page at the time `time` in Japan (YYYY-MM-DDTHH:MM), unless it is ''. `asOf` is in ms since 1970. */
export function useRevalidationAt(time: string, asOf: number) {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    if (time === '') return
    return everyMinute(asOf, (now) => {
      if (timeInJapan(now) >= time) revalidate()
    })
  }, [time])
}
