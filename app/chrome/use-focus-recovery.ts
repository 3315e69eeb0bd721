import { useEffect } from 'react'
import { isRendered } from '../ui/is-rendered.ts'

/** Moves the focus to the nearest heading if the focused element is removed, because browsers would drop the focus. */
export function useFocusRecovery() {
  useEffect(() => {
    // A dialog of the first render has focus before the listeners are attached.
    let path = findAncestors(document.activeElement ?? document.body)
    const rememberFocus = ({ target }: FocusEvent) => {
      path = target instanceof Element ? findAncestors(target) : []
    }
    const forgetFocus = ({ target }: PointerEvent) => {
      if (!path[0]?.contains(target as Node)) path = []
    }
    const recoverFocus = () => {
      const [focused, ...ancestors] = path
      if (!focused || focused.isConnected || (document.activeElement ?? document.body) !== document.body) return
      path = []
      const remaining = ancestors.find((element) => element.isConnected)
      if (remaining) focusOn(findHeading(remaining))
    }
    const observer = new MutationObserver(recoverFocus)
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', rememberFocus)
    // A tap elsewhere removes focus on purpose.
    document.addEventListener('pointerdown', forgetFocus)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', rememberFocus)
      document.removeEventListener('pointerdown', forgetFocus)
    }
  }, [])
}

export function focusOn(element: HTMLElement | null) {
  if (!element) return
  if (element.tabIndex < 0) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

function findAncestors(element: Element) {
  const path: Element[] = []
  for (let ancestor: Element | null = element; ancestor; ancestor = ancestor.parentElement) path.push(ancestor)
  return path
}

// Returns the nearest heading of the ancestors. A heading in a list item counts for that item only.
function findHeading(element: Element) {
  for (const container of findAncestors(element)) {
    if (container === document.body) break
    const heading = [...container.querySelectorAll<HTMLElement>('h1, h2, h3')].find(
      (found) => found.closest('li')?.contains(container) !== false && isRendered(found),
    )
    if (heading) return heading
  }
  return document.getElementById('main')
}
