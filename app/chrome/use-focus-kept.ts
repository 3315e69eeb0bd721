import { useEffect } from 'react'
import { isRendered } from '../ui/is-rendered.ts'

/**
 * Keeps the focus in the page. Where the element that has it is taken away, the browser would leave it nowhere, and who
 * uses a keyboard or listens would begin anew at the top: it goes to the heading of what is left around the element.
 */
export function useFocusKept() {
  useEffect(() => {
    // A dialog that came with the page has had it before anyone listened.
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
    // Who taps elsewhere has taken it away themselves.
    document.addEventListener('pointerdown', forget)
    return () => {
      watcher.disconnect()
      document.removeEventListener('focusin', remember)
      document.removeEventListener('pointerdown', forget)
    }
  }, [])
}

/** Gives the focus to something that is no control; the page does not move. */
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

// Of the section that it lies in, as far as that has one; the headings of a list's items are theirs alone.
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
