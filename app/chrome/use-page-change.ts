import { useEffect } from 'react'
import { useLocation, useMatches } from 'react-router'
import { announce } from '../ui/announce.ts'
import { focusOn } from './use-focus-recovery.ts'

// This variable is module state, because an error page remounts the tree.
let shownPath: string | undefined

/** Announces the title and moves focus as browsers do for a new document. Dialog routes are not new pages. */
export function usePageChange() {
  const { key, hash } = useLocation()
  const path = useMatches().at(1)?.pathname
  useEffect(() => {
    const previousPath = shownPath
    shownPath = path
    if (previousPath === undefined || document.querySelector('dialog:modal')) return
    const hashTarget = hash && document.getElementById(hash.slice(1))
    if (previousPath !== path) {
      announce(document.title)
      focusOn(hashTarget || document.getElementById('main'))
    } else if (hashTarget && document.activeElement === document.body) focusOn(hashTarget)
  }, [path, key])
}
