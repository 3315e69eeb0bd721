import { useTime } from '../ui/use-time.ts'
import { dayInJapan } from './japan.ts'

/**
 * Returns the date in Japan, updated at midnight in Japan. `asOf` is the time of the server rendering (ms since 1970).
 */
export function useToday(asOf: number) {
  return useTime(asOf, dayInJapan)
}
