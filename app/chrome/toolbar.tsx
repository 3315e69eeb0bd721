import {
  Archive,
  Armchair,
  CalendarClock,
  CalendarDays,
  CookingPot,
  Ellipsis,
  FileText,
  IdCard,
  Inbox,
  Languages,
  Megaphone,
  Store,
  Trash2,
  UserRound,
  Users,
} from 'lucide'
import { type ReactNode, useEffect, useRef } from 'react'
import { NavLink } from 'react-router'
import type { Topic } from '../live/topics.ts'
import { useLive } from '../live/use-live.ts'
import { Icon } from '../ui/icon.tsx'
import { isComposing } from '../ui/is-composing.ts'
import styles from './toolbar.module.css'
import type { ToolbarData } from './toolbar.server.ts'

const icons = {
  '/today': CalendarClock,
  '/dining': CookingPot,
  '/calendar': CalendarDays,
  '/tables': Armchair,
  '/inbox': Inbox,
  '/memberlist': Users,
  '/notices': Megaphone,
  '/site': Store,
  '/pages': FileText,
  '/translations': Languages,
  '/staff': IdCard,
  '/bin': Trash2,
  '/backup': Archive,
  '/account': UserRound,
}

type ToolbarLink = { to: keyof typeof icons; label: string; mark?: { shown: string; words: string } | null }

export default function Toolbar({ work }: { work: ToolbarData }) {
  const topics = work.bar.flatMap(({ topic }) => topic ?? [])
  return (
    <nav className={styles.bar} aria-label="管理メニュー">
      <noscript>
        <p className={styles.needsScripts}>編集するには、ブラウザのJavaScriptを有効にしてください。</p>
      </noscript>
      <ul className={styles.ways}>
        <ToolbarLinks links={work.bar} />
        <li className={styles.more}>
          <More>
            <ToolbarLinks links={[...work.menu, { to: '/account', label: 'アカウント' }]} />
          </More>
        </li>
      </ul>
      {topics.length > 0 && <LiveUpdates topics={topics} />}
    </nav>
  )
}

function ToolbarLinks({ links }: { links: ToolbarLink[] }) {
  return links.map(({ to, label, mark }) => (
    <li key={to}>
      <NavLink to={to} aria-label={mark ? `${label}、${mark.words}` : undefined}>
        <Icon of={icons[to]} size={18} />
        {label}
        {mark && <span className={styles.mark} data-shown={mark.shown} />}
      </NavLink>
    </li>
  ))
}

/** A menu that opens without JavaScript. JavaScript only closes the menu. */
function More({ children }: { children: ReactNode }) {
  const menu = useRef<HTMLDetailsElement>(null)

  useEffect(() => {
    const details = menu.current
    if (!details) return
    const closeOnOutsideEvent = ({ target }: Event) => {
      if (!details.contains(target as Node)) details.open = false
    }
    const closeOnLinkClick = ({ target }: Event) => {
      if ((target as Element).closest('a')) details.open = false
    }
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || isComposing(event) || !details.open) return
      details.open = false
      details.querySelector('summary')?.focus()
    }
    const abortController = new AbortController()
    const { signal } = abortController
    document.addEventListener('pointerdown', closeOnOutsideEvent, { signal })
    document.addEventListener('focusin', closeOnOutsideEvent, { signal })
    document.addEventListener('keydown', closeOnEscape, { signal })
    details.addEventListener('click', closeOnLinkClick, { signal })
    return () => abortController.abort()
  }, [])

  return (
    <details ref={menu}>
      <summary>
        <Icon of={Ellipsis} size={18} />
        その他
      </summary>
      <ul>{children}</ul>
    </details>
  )
}

function LiveUpdates({ topics }: { topics: Topic[] }) {
  useLive(...topics)
  return null
}
