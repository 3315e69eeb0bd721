import { useTime } from '../ui/use-time.ts'
import { dayInJapan } from './japan.ts'

/** Today in Japan, which moves at its midnight on an open page too; `asOf` is when the server looked. */
export function useToday(asOf: number) {
  return useTime(asOf, dayInJapan)
}
