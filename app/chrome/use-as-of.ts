import { useEffect } from 'react'
import { useRevalidator } from 'react-router'

/** Revalidates a page that the server sent stale, then removes the notice with the time of the stale data. */
export function useAsOf() {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    const word = document.querySelector('[data-as-of]')
    if (word) revalidate().then(() => word.remove())
  }, [])
}
