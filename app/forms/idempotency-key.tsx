import { useEffect, useRef, useState } from 'react'

/** Created in the browser, so that cached pages contain none. `first` is for one visitor's page without JavaScript. */
export function IdempotencyKey({ answer, first = '' }: { answer?: unknown; first?: string }) {
  const [key, setKey] = useState(first)
  const lastAnswer = useRef(answer)
  useEffect(() => {
    if (key && lastAnswer.current === answer) return
    lastAnswer.current = answer
    setKey(newKey())
  }, [answer, key])
  return <input type="hidden" name="once" value={key} />
}

/** Returns 32 random hexadecimal digits; crypto.randomUUID is missing without HTTPS. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
