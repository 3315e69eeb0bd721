import { useEffect, useState } from 'react'

const LONG = 15_000

export function useIsSlow(busy: boolean) {
  const [long, setLong] = useState(false)
  useEffect(() => {
    setLong(false)
    if (!busy) return
    const timer = setTimeout(() => setLong(true), LONG)
    return () => clearTimeout(timer)
  }, [busy])
  return long
}
