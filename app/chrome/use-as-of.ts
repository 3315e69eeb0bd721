import { useEffect } from 'react'
import { useRevalidator } from 'react-router'

/** On a page that was sent as it was a while ago: reads it anew until that succeeds, and takes the word of its time away. */
export function useAsOf() {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    const word = document.querySelector('[data-as-of]')
    if (word) revalidate().then(() => word.remove())
  }, [])
}
