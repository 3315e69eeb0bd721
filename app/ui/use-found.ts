import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { announce } from './announce.ts'

/**
 * For a list that is searched: what was asked of it is heard as `found`, or has the focus, when it comes; the field says
 * what the address does.
 */
export function useFound(sought: string, found: string) {
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
