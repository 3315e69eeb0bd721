import { useEffect, useRef, useState } from 'react'
import type { SaveResult } from './save-result.ts'

/**
 * Hidden field with an idempotency key. The browser creates the key, because a cached page must not contain a key.
 * `first` is the key on an uncached page without JavaScript.
 */
export function IdempotencyKey({ answer, first = '' }: { answer: SaveResult | undefined; first?: string }) {
  const [key, setKey] = useState(first)
  const lastAnswer = useRef(answer)
  useEffect(() => {
    if (key && (lastAnswer.current === answer || repeatsKey(answer))) return
    lastAnswer.current = answer
    setKey(newKey())
  }, [answer, key])
  return <input type="hidden" name="once" value={key} />
}

/**
 * Whether the next submission needs the same key. An error does not tell whether the site has stored an earlier
 * submission whose response was lost, unless the error says that the stored submission has other content.
 */
export function repeatsKey({ trouble, errors, isOutdated }: SaveResult = {}) {
  return (trouble !== undefined || errors !== undefined) && !isOutdated
}

/** Returns 32 random hexadecimal digits. crypto.randomUUID is not available without HTTPS. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
