import { Menu, X } from 'lucide'
import { useEffect, useRef, useState } from 'react'
import { NavLink } from 'react-router'
import type { PageLink } from '../pages/page.ts'
import { seesLogoutInNavigation, type Visitor } from '../permissions.ts'
import type { PublicFacts } from '../site/site.ts'
import { Icon } from '../ui/icon.tsx'
import { lazily } from '../ui/lazily.tsx'
import { ShopName } from './shop-name.tsx'
import styles from './site-header.module.css'

// Others need not load it.
const SignOutButton = lazily(async () => (await import('../sign-in/sign-out-button.tsx')).SignOutButton)

const CLOSES_AFTER = 5000

type Props = { site: PublicFacts; links: PageLink[]; visitor: Visitor; atHome: boolean }

/** The shop's name and the navigation bar, which folds into a menu on a small screen. */
export function SiteHeader({ site, links, visitor, atHome }: Props) {
  const { open, toggle, close, list, opener } = useSelfClosingMenu()
  return (
    <header className={styles.header}>
      <ShopName name={site.name} seal={site.seal} />
      <nav aria-label="主なページ">
        <button
          ref={opener}
          type="button"
          className={styles.menu}
          aria-expanded={open}
          aria-controls="navigation"
          onClick={toggle}
        >
          <span className="visually-hidden">{open ? 'メニューを閉じる' : 'メニューを開く'}</span>
          {open ? <Icon of={X} /> : <Icon of={Menu} />}
        </button>
        <ul id="navigation" data-mincho ref={list} className={open ? `${styles.links} ${styles.open}` : styles.links}>
          {links.map(({ to, label, english }) => (
            <li key={to}>
              <NavLink
                to={to}
                prefetch="intent"
                viewTransition
                onClick={close}
                {...(atHome && to === '/home' && { 'aria-current': 'page' })}
              >
                {label}
                {english && <small lang="en">{english}</small>}
              </NavLink>
            </li>
          ))}
          {seesLogoutInNavigation(visitor) && (
            <li>
              <SignOutButton>
                ログアウト
                <small lang="en">Logout</small>
              </SignOutButton>
            </li>
          )}
        </ul>
      </nav>
    </header>
  )
}

/** Closes five seconds after opening; while the keyboard's focus is inside, it waits until that leaves. */
function useSelfClosingMenu() {
  const [open, setOpen] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  const opener = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    if (!open) return
    const close = () => setOpen(false)
    const focusIsInside = () =>
      list.current?.contains(document.activeElement) && document.activeElement?.matches(':focus-visible')
    const closeWhenFocusLeaves = (event: FocusEvent) => {
      if (!list.current?.contains(event.relatedTarget as Node | null)) close()
    }
    const timer = setTimeout(() => {
      if (focusIsInside()) list.current?.addEventListener('focusout', closeWhenFocusLeaves)
      else close()
    }, CLOSES_AFTER)
    const closeOnEscape = (event: KeyboardEvent) => {
      // The Escape of who composes kana gives up that.
      if (event.key !== 'Escape' || event.isComposing) return
      close()
      opener.current?.focus()
    }
    document.addEventListener('keydown', closeOnEscape)
    const element = list.current
    return () => {
      clearTimeout(timer)
      element?.removeEventListener('focusout', closeWhenFocusLeaves)
      document.removeEventListener('keydown', closeOnEscape)
    }
  }, [open])

  return { open, toggle: () => setOpen(!open), close: () => setOpen(false), list, opener }
}
