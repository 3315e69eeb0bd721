import { useEffect } from 'react'
import { useRevalidator } from 'react-router'

/** Revalidates a page that was served stale, then removes its staleness notice. */
export function useAsOf() {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    const word = document.querySelector('[data-as-of]')
    if (word) revalidate().then(() => word.remove())
  }, [])
}
