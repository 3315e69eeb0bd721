import { startTransition, useEffect, useState } from 'react'
import { everyMinute, timeNow } from './clock.ts'

/** What is read from the time now, in milliseconds since 1970, again at every minute; `asOf` is when the server looked. */
export function useTime<Value extends string | number>(asOf: number, read: (now: number) => Value) {
  const [value, setValue] = useState(() => read(timeNow(asOf)))
  // Parts of the page may still wait for their script: only a transition leaves them on the screen meanwhile.
  useEffect(() => everyMinute(asOf, (now) => startTransition(() => setValue(read(now)))), [])
  return value
}

/** The time now, in milliseconds since 1970, looked up again at every minute; at first it is when the server looked. */
export function useEveryMinute(asOf: number) {
  return useTime(asOf, itself)
}

function itself(now: number) {
  return now
}
