import { startTransition, useEffect, useState } from 'react'

/** The time now, in milliseconds since 1970, looked up again at every minute; at first it is when the server looked. */
export function useEveryMinute(asOf: number) {
  const [now, setNow] = useState(asOf)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const look = () => {
      // Parts of the page may still wait for their script: only a transition leaves them on the screen meanwhile.
      startTransition(() => setNow(Date.now()))
      timer = setTimeout(look, 60_000 - (Date.now() % 60_000))
    }
    look()
    return () => clearTimeout(timer)
  }, [])
  return now
}
