import { X } from 'lucide'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { Done } from '../forms/save-form.tsx'
import { undoOf } from '../forms/save-result.ts'
import { clearToast, doneTexts, showToast, type ToastContent, urlWithoutNotice, useToast } from '../forms/toast.ts'
import { memberToasts } from '../members/member-toasts.ts'
import { Icon } from '../ui/icon.tsx'
import { isKeyOf } from '../ui/is-key-of.ts'
import styles from './toast-line.module.css'

export default function ToastLine() {
  const location = useLocation()
  const toast = useToast()
  // Notices with equal text need different keys, so that the second notice does not show the undo result of the first
  // notice.
  const [lastToast, setLastToast] = useState({ toast, round: 0 })
  if (toast !== lastToast.toast) setLastToast({ toast, round: lastToast.round + 1 })
  const isForThisPage = toast?.at === location.pathname
  useEffect(() => {
    if (toast && !isForThisPage) showToast(null)
  }, [location.pathname])
  const notice = isForThisPage ? toast : readNotice(location)
  // An undo must not discard later input, so input clears the notice.
  useEffect(() => {
    document.addEventListener('input', clearToast)
    return () => document.removeEventListener('input', clearToast)
  }, [])
  const line = useRef<HTMLElement>(null)
  useAvoidLastPress(line, notice && `${lastToast.round} ${notice.done}`)
  if (!notice?.done) return null
  return (
    <section ref={line} className={styles.line} aria-label="お知らせ">
      <Done key={isForThisPage ? lastToast.round : `${notice.done} ${notice.undo?.fields.save}`} {...notice}>
        <Link
          to={urlWithoutNotice(location)}
          replace
          preventScrollReset
          className={styles.close}
          onClick={() => showToast(null)}
        >
          <Icon of={X} size={20} label="お知らせを閉じる" />
        </Link>
      </Done>
    </section>
  )
}

function readNotice({ pathname, search }: { pathname: string; search: string }): ToastContent | null {
  const texts: Record<string, string> = { ...doneTexts, ...(pathname === '/memberlist' && memberToasts) }
  const query = new URLSearchParams(search)
  const name = query.get('done') ?? ''
  const done = isKeyOf(texts, name) ? texts[name] : undefined
  const save = query.get('undo')
  return done ? { done, at: '', ...(save && { undo: undoOf(save) }) } : null
}

/**
 * Moves the toast to the upper edge if the toast would cover the last press. A second press must not hit the undo
 * button.
 */
function useAvoidLastPress(line: RefObject<HTMLElement | null>, toastKey: string | null) {
  const lastPress = useRef<{ clientX: number; clientY: number }>(null)
  useEffect(() => {
    const rememberPress = (event: MouseEvent) => {
      // Ignores presses in the toast itself, and clicks by keyboard (`detail` is 0).
      if (event.detail > 0 && !line.current?.contains(event.target as Node)) lastPress.current = event
    }
    document.addEventListener('click', rememberPress, true)
    return () => document.removeEventListener('click', rememberPress, true)
  }, [])
  // Sets the class directly, because a second render here would delay focus recovery.
  useLayoutEffect(() => {
    if (!line.current || !lastPress.current) return
    const { clientX: x, clientY: y } = lastPress.current
    const { classList } = line.current
    classList.remove(styles.above as string)
    const { left, right, top } = line.current.getBoundingClientRect()
    classList.toggle(styles.above as string, x >= left && x <= right && y >= top - 12)
  }, [toastKey])
}
