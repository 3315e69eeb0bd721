import { useEffect } from 'react'
import { useRevalidator } from 'react-router'

export function useStaleRevalidation() {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    const notice = document.querySelector('[data-as-of]')
    if (notice) revalidate().then(() => notice.remove())
  }, [])
}
