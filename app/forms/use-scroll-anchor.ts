import { useEffect, useLayoutEffect, useRef } from 'react'
import { isRendered } from '../ui/is-rendered.ts'

// The list includes focusin, because a response may focus an element, which then scrolls into view.
const INTERACTION_EVENTS = ['pointerdown', 'keydown', 'wheel', 'touchmove', 'focusin'] as const

/** Fixes the pressed button on the screen until the next interaction, so that a second press hits the same button. */
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
  // Runs after each render of the form, because new data on the page can move the button at the same time.
  useLayoutEffect(() => {
    if (!anchor.current || !isRendered(anchor.current.button)) return
    const { button, top } = anchor.current
    const distance = button.getBoundingClientRect().top - top
    if (Math.abs(distance) >= 1) scrollBy({ top: distance, behavior: 'instant' })
  })
  return {
    /** Sets the scroll anchor. Ignores controls in a dialog, because a dialog does not scroll with the page. */
    anchorTo: (button: Element | null) => setAnchor(button?.closest('dialog') ? null : button),
    updateAnchor: () => anchor.current && setAnchor(anchor.current.button),
  }
}
