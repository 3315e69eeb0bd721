import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { announce } from './announce.ts'

/** Announces new search results or focuses the heading of a new list page. Resets the field when the query changes. */
export function useSearchResult(sought: string, found: string) {
  const { key } = useLocation()
  const field = useRef<HTMLInputElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const asked = useRef<'words' | 'page'>(null)
  useEffect(() => {
    if (asked.current === 'words') announce(found)
    if (asked.current === 'page') {
      heading.current?.focus({ preventScroll: true })
      heading.current?.scrollIntoView()
    }
    asked.current = null
  }, [key])
  const shown = useRef(sought)
  useEffect(() => {
    if (shown.current !== sought && field.current) field.current.value = sought
    shown.current = sought
  }, [sought])
  const ask = (what: 'words' | 'page') => {
    asked.current = what
  }
  return { field, heading, ask }
}
