import { useEffect, useLayoutEffect, useRef } from 'react'
import { isRendered } from '../ui/is-rendered.ts'

// Includes focusin, because a response may focus an element, which scrolls into view.
const INTERACTION_EVENTS = ['pointerdown', 'keydown', 'wheel', 'touchmove', 'focusin'] as const

/** Keeps the pressed button in place until the next interaction; otherwise a second press could hit another button. */
export function useScrollAnchor() {
  const anchor = useRef<{ button: Element; top: number }>(null)
  const setAnchor = (button: Element | null) => {
    anchor.current = button && { button, top: button.getBoundingClientRect().top }
  }
  useEffect(() => {
    const release = ({ type, target }: Event) => {
      if (type !== 'focusin' || target !== anchor.current?.button) setAnchor(null)
    }
    for (const event of INTERACTION_EVENTS) addEventListener(event, release)
    return () => {
      for (const event of INTERACTION_EVENTS) removeEventListener(event, release)
    }
  }, [])
  // Runs after each render, because the page's data renders together with the form.
  useLayoutEffect(() => {
    if (!anchor.current || !isRendered(anchor.current.button)) return
    const { button, top } = anchor.current
    const distance = button.getBoundingClientRect().top - top
    if (Math.abs(distance) >= 1) scrollBy({ top: distance, behavior: 'instant' })
  })
  return {
    /** Ignores controls in a dialog, which do not scroll with the page. */
    anchorTo: (button: Element | null) => setAnchor(button?.closest('dialog') ? null : button),
    updateAnchor: () => anchor.current && setAnchor(anchor.current.button),
  }
}
