import { useEffect, useLayoutEffect, useRef } from 'react'
import { isRendered } from '../ui/is-rendered.ts'

// Includes focusin, because a response may focus an element, which scrolls into view.
const TAKING_OVER = ['pointerdown', 'keydown', 'wheel', 'touchmove', 'focusin'] as const

/**
 * Keeps the pressed button at its viewport position while new content renders above it, until the next interaction.
 * Otherwise a second press could hit another button.
 */
export function useScrollAnchor() {
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
  // Runs after each render, because the page's data renders together with the form.
  useLayoutEffect(() => {
    if (!kept.current || !isRendered(kept.current.button)) return
    const { button, top } = kept.current
    const moved = button.getBoundingClientRect().top - top
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' })
  })
  return {
    /** Ignores controls in a dialog, which do not scroll with the page. */
    keepPlaceOf: (button: Element | null) => keep(button?.closest('dialog') ? null : button),
    /** Remeasures the position after intentional scrolling. */
    keepHere: () => kept.current && keep(kept.current.button),
  }
}
