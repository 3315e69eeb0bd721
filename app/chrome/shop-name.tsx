import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { useNavigate } from 'react-router'
import styles from './site-header.module.css'

const LONG_TOUCH = 700

/** The shop's name in the header. Shift-click, Shift+Enter or a long touch opens /login; a click does nothing. */
export function ShopName({ name, seal }: { name: string; seal: string }) {
  const navigate = useNavigate()
  const touch = useRef<ReturnType<typeof setTimeout>>(undefined)
  const toLogin = () => navigate('/login')

  const beginTouch = (event: PointerEvent) => {
    if (event.pointerType === 'touch') touch.current = setTimeout(toLogin, LONG_TOUCH)
  }
  const endTouch = () => clearTimeout(touch.current)
  const openWithShiftEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (event.shiftKey) toLogin()
  }

  return (
    <button
      type="button"
      className={styles.brand}
      data-mincho
      onClick={(event) => event.shiftKey && toLogin()}
      onKeyDown={openWithShiftEnter}
      onPointerDown={beginTouch}
      onPointerUp={endTouch}
      onPointerCancel={endTouch}
      onPointerLeave={endTouch}
      onContextMenu={(event) => event.preventDefault()}
    >
      {seal && (
        <span className={styles.seal} aria-hidden="true">
          {seal}
        </span>
      )}
      <span>{name}</span>
    </button>
  )
}
