import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { announce } from './announce.ts'

export function useSearchResult(sought: string, found: string) {
  const { key } = useLocation()
  const field = useRef<HTMLInputElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const requested = useRef<'words' | 'page'>(null)
  useEffect(() => {
    if (requested.current === 'words') announce(found)
    if (requested.current === 'page') {
      heading.current?.focus({ preventScroll: true })
      heading.current?.scrollIntoView()
    }
    requested.current = null
  }, [key])
  // A query that the form has sent is in the field already, perhaps with letters that were typed while it loaded.
  const lastQuery = useRef(sought)
  useEffect(() => {
    if (lastQuery.current.trim() !== sought.trim() && field.current) field.current.value = sought
    lastQuery.current = sought
  }, [sought])
  const ask = (target: 'words' | 'page') => {
    requested.current = target
    if (target === 'words' && field.current) lastQuery.current = field.current.value
  }
  return { field, heading, ask }
}
