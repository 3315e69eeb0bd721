import { useEffect, useLayoutEffect, useRef } from 'react'
import { isRendered } from '../ui/is-rendered.ts'

// The focus goes to what an answer asks for, which is scrolled into view.
const TAKING_OVER = ['pointerdown', 'keydown', 'wheel', 'touchmove', 'focusin'] as const

/**
 * Keeps the button that was pressed at its place in the window while the answer and the newly read data change what is
 * above it, until the visitor does something else: a second press must not hit another button.
 */
export function usePlaceKept() {
  const kept = useRef<{ button: Element; top: number }>(null)
  const keep = (button: Element | null) => {
    kept.current = button && { button, top: button.getBoundingClientRect().top }
  }
  useEffect(() => {
    const letGo = ({ type, target }: Event) => {
      if (type !== 'focusin' || target !== kept.current?.button) keep(null)
    }
    for (const event of TAKING_OVER) addEventListener(event, letGo)
    return () => {
      for (const event of TAKING_OVER) removeEventListener(event, letGo)
    }
  }, [])
  // With each drawing of the form: its page's data are drawn with it.
  useLayoutEffect(() => {
    if (!kept.current || !isRendered(kept.current.button)) return
    const { button, top } = kept.current
    const moved = button.getBoundingClientRect().top - top
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' })
  })
  return {
    /** Controls in a dialog do not scroll with the page. */
    keepPlaceOf: (button: Element | null) => keep(button?.closest('dialog') ? null : button),
    /** After the page was scrolled on purpose. */
    keepHere: () => kept.current && keep(kept.current.button),
  }
}
