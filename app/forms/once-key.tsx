import { useEffect, useRef, useState } from 'react'

/**
 * The hidden key by which the server knows a form that is sent again. It is made in the browser, so that a page kept for
 * everyone carries none, and made anew after each `answer`; `first` is one for browsers without scripts, where the page
 * is made for this visitor alone.
 */
export function OnceKey({ answer, first = '' }: { answer?: unknown; first?: string }) {
  const [key, setKey] = useState(first)
  const answered = useRef(answer)
  useEffect(() => {
    if (key && answered.current === answer) return
    answered.current = answer
    setKey(newKey())
  }, [answer, key])
  return <input type="hidden" name="once" value={key} />
}

/** Thirty-two random digits: crypto.randomUUID is missing where the site is not reached over HTTPS. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
