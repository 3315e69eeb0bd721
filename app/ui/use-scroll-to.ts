import { useEffect, useRef } from 'react'

/** A ref for what is scrolled into view whenever there is something new to be said: a form may be longer than the screen. */
export function useScrollTo(said: object | null | undefined) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (said) ref.current?.scrollIntoView({ block: 'center' })
  }, [said])
  return ref
}
