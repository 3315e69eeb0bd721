import { useTime } from '../ui/use-time.ts'
import { dayInJapan } from './japan.ts'

/** Returns the date in Japan and updates it at midnight there. `asOf` is the time of the server rendering in ms. */
export function useToday(asOf: number) {
  return useTime(asOf, dayInJapan)
}
