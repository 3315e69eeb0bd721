import { startTransition, useEffect, useState } from 'react'
import { everyMinute, timeNow } from './clock.ts'

/** Returns the result of `read` for the current time, updated every minute. Times are in milliseconds since 1970. */
export function useTime<Value extends string | number>(asOf: number, read: (now: number) => Value) {
  const [value, setValue] = useState(() => read(timeNow(asOf)))
  // Outside a transition, React would replace a loading lazy component by its fallback.
  useEffect(() => everyMinute(asOf, (now) => startTransition(() => setValue(read(now)))), [])
  return value
}

export function useEveryMinute(asOf: number) {
  return useTime(asOf, (now) => now)
}
