import { useEffect } from 'react'
import { useLocation, useMatches } from 'react-router'
import { announce } from '../ui/announce.ts'
import { focusOn } from './use-focus-kept.ts'

// Not in the page, which is made anew where an error takes its place.
let shown: string | undefined

/**
 * Does for the next page what a browser does for a document: its title is heard, and the focus is at its beginning, or
 * at what its address points to. What lies on a page, as the form of a dish does, is no page.
 */
export function usePageChange() {
  const { key, hash } = useLocation()
  const path = useMatches().at(1)?.pathname
  useEffect(() => {
    const before = shown
    shown = path
    if (before === undefined || document.querySelector('dialog:modal')) return
    const pointed = hash && document.getElementById(decodeURIComponent(hash.slice(1)))
    if (before !== path) {
      announce(document.title)
      focusOn(pointed || document.getElementById('main'))
    } else if (pointed && document.activeElement === document.body) focusOn(pointed)
  }, [path, key])
}
