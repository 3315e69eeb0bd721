import { Menu, X } from 'lucide'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import type { PageLink } from '../pages/page.ts'
import { seesLogoutInNavigation, type Visitor } from '../permissions.ts'
import type { PublicSettings } from '../settings/site.ts'
import { Icon } from '../ui/icon.tsx'
import { isComposing } from '../ui/is-composing.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { ShopName } from './shop-name.tsx'
import styles from './site-header.module.css'

// Lazy, because most visitors never see the sign-out button.
const SignOutButton = lazyComponent(async () => (await import('../accounts/sign-out-button.tsx')).SignOutButton)

const CLOSE_DELAY_MS = 5000

type Props = { site: PublicSettings; links: PageLink[]; visitor: Visitor; path: string; children: ReactNode }

export function SiteHeader({ site, links, visitor, path, children }: Props) {
  // The home page has two URLs.
  const current = path === '/' ? '/home' : path
  const { open, toggle, close, list, opener } = useSelfClosingMenu()
  return (
    <header className={styles.header}>
      <ShopName name={site.name} seal={site.seal} />
      {children}
      <nav className={styles.navigation} aria-label={t('主なページ')}>
        <button
          ref={opener}
          type="button"
          className={styles.menu}
          aria-expanded={open}
          aria-controls="navigation"
          onClick={toggle}
        >
          <span className="visually-hidden">{t(open ? 'メニューを閉じる' : 'メニューを開く')}</span>
          {open ? <Icon of={X} /> : <Icon of={Menu} />}
        </button>
        <ul id="navigation" data-mincho ref={list} className={open ? `${styles.links} ${styles.open}` : styles.links}>
          {links.map(({ to, label, english }) => (
            <li key={to}>
              <Link
                to={to}
                data-warm
                viewTransition
                onClick={close}
                aria-current={`${current}/`.startsWith(`${to}/`) ? 'page' : undefined}
              >
                <span>{words(label)}</span>
                {english && <small lang="en">{english}</small>}
              </Link>
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

/**
 * Closes the menu after five idle seconds. The menu stays open if it has keyboard focus, or if a key or assistive
 * technology opened it.
 */
function useSelfClosingMenu() {
  const [openedBy, setOpenedBy] = useState<'pointer' | 'key' | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const opener = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    if (!openedBy) return
    const abortController = new AbortController()
    const { signal } = abortController
    const header = opener.current?.closest('header')
    const close = () => setOpenedBy(null)
    const hasFocusInside = () =>
      list.current?.contains(document.activeElement) && document.activeElement?.matches(':focus-visible')
    let timer: ReturnType<typeof setTimeout>
    const restartTimer = () => {
      clearTimeout(timer)
      if (openedBy === 'pointer') timer = setTimeout(() => hasFocusInside() || close(), CLOSE_DELAY_MS)
    }
    restartTimer()
    for (const event of ['pointerdown', 'pointermove', 'keydown'])
      header?.addEventListener(event, restartTimer, { signal })
    const closeWhenFocusLeaves = ({ relatedTarget }: FocusEvent) => {
      if (list.current?.contains(relatedTarget as Node | null)) return
      // A press on a link may blur the menu before the click, so the menu must stay open until the click.
      if (relatedTarget) close()
      else restartTimer()
    }
    list.current?.addEventListener('focusout', closeWhenFocusLeaves, { signal })
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || isComposing(event)) return
      close()
      opener.current?.focus()
    }
    document.addEventListener('keydown', closeOnEscape, { signal })
    return () => {
      clearTimeout(timer)
      abortController.abort()
    }
  }, [openedBy])

  const toggle = ({ detail }: MouseEvent) => setOpenedBy(openedBy ? null : detail === 0 ? 'key' : 'pointer')
  return { open: openedBy !== null, toggle, close: () => setOpenedBy(null), list, opener }
}
