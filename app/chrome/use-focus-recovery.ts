import { useEffect } from 'react'
import { isRendered } from '../ui/is-rendered.ts'

/** Moves focus to the nearest heading if the focused element is removed, because browsers would drop focus. */
export function useFocusRecovery() {
  useEffect(() => {
    // A dialog of the first render has focus before the listeners are attached.
    let path = ancestorsOf(document.activeElement ?? document.body)
    const remember = ({ target }: FocusEvent) => {
      path = target instanceof Element ? ancestorsOf(target) : []
    }
    const forget = ({ target }: PointerEvent) => {
      if (!path[0]?.contains(target as Node)) path = []
    }
    const look = () => {
      const [last, ...around] = path
      if (!last || last.isConnected || (document.activeElement ?? document.body) !== document.body) return
      path = []
      const left = around.find((each) => each.isConnected)
      if (left) focusOn(headingOf(left))
    }
    const watcher = new MutationObserver(look)
    watcher.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', remember)
    // A tap elsewhere removes focus on purpose.
    document.addEventListener('pointerdown', forget)
    return () => {
      watcher.disconnect()
      document.removeEventListener('focusin', remember)
      document.removeEventListener('pointerdown', forget)
    }
  }, [])
}

/** Focuses an element that is not a control, without scrolling. */
export function focusOn(element: HTMLElement | null) {
  if (!element) return
  if (element.tabIndex < 0) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

function ancestorsOf(element: Element) {
  const path: Element[] = []
  for (let each: Element | null = element; each; each = each.parentElement) path.push(each)
  return path
}

// Returns the nearest heading of the ancestors. A heading in a list item counts for that item only.
function headingOf(left: Element) {
  for (let each: Element | null = left; each && each !== document.body; each = each.parentElement) {
    const around = each
    const heading = [...each.querySelectorAll<HTMLElement>('h1, h2, h3')].find(
      (found) => found.closest('li')?.contains(around) !== false && isRendered(found),
    )
    if (heading) return heading
  }
  return document.getElementById('main')
}
