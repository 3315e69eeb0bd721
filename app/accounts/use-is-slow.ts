import { useEffect, useState } from 'react'

const SLOW_AFTER_MS = 15_000

export function useIsSlow(busy: boolean) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    setIsSlow(false)
    if (!busy) return
    const timer = setTimeout(() => setIsSlow(true), SLOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [busy])
  return isSlow
}
