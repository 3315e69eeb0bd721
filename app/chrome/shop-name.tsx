import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { useNavigate } from 'react-router'
import { isJapanese, langOf } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import styles from './site-header.module.css'

const LONG_TOUCH_MS = 700

/** The shop's name in the header. Shift-click, Shift+Enter or a long touch opens /login. A click does nothing. */
export function ShopName({ name, seal }: { name: string; seal: string }) {
  const navigate = useNavigate()
  const touchTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const openLogin = () => (isJapanese() ? navigate('/login') : location.assign('/login'))

  const beginTouch = (event: PointerEvent) => {
    if (event.pointerType === 'touch') touchTimer.current = setTimeout(openLogin, LONG_TOUCH_MS)
  }
  const endTouch = () => clearTimeout(touchTimer.current)
  const openWithShiftEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (event.shiftKey) openLogin()
  }

  return (
    <button
      type="button"
      className={styles.brand}
      data-mincho
      onClick={(event) => event.shiftKey && openLogin()}
      onKeyDown={openWithShiftEnter}
      onPointerDown={beginTouch}
      onPointerUp={endTouch}
      onPointerCancel={endTouch}
      onPointerLeave={endTouch}
      onContextMenu={(event) => event.preventDefault()}
    >
      {seal && (
        <span className={styles.seal} aria-hidden="true" lang={langOf(seal)}>
          {seal}
        </span>
      )}
      <span>{words(name)}</span>
    </button>
  )
}
