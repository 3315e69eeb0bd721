import { startTransition, useEffect, useState } from 'react'
import { everyMinute, timeNow } from './clock.ts'

/** Returns the result of `compute` for the current time, updated every minute. Times are in milliseconds since 1970. */
export function useTime<Value extends string | number>(serverTime: number, compute: (now: number) => Value) {
  const [value, setValue] = useState(() => compute(timeNow(serverTime)))
  // Outside a transition, React would replace a loading lazy component by its fallback.
  useEffect(() => everyMinute(serverTime, (now) => startTransition(() => setValue(compute(now)))), [])
  return value
}

export function useEveryMinute(serverTime: number) {
  return useTime(serverTime, (now) => now)
}
