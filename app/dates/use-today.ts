import { useTime } from '../ui/use-time.ts'
import { dayInJapan } from './japan.ts'

/** Returns the date in Japan and updates it at midnight in Japan. `asOf` is when the server rendered the page. */
export function useToday(asOf: number) {
  return useTime(asOf, dayInJapan)
}
