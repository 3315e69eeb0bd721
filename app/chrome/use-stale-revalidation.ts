import { useEffect } from 'react'
import { useRevalidator } from 'react-router'

/** Revalidates a page that the server sent stale, then removes the notice with the time of the stale data. */
export function useStaleRevalidation() {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    const notice = document.querySelector('[data-as-of]')
    if (notice) revalidate().then(() => notice.remove())
  }, [])
}
