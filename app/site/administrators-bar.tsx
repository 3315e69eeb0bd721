import { CalendarClock, Inbox, LogOut, Store, Trash2, Users } from 'lucide-react'
import { NavLink } from 'react-router'
import { SignOutButton } from '../accounts/sign-out-button.tsx'
import { useCircle } from '../members/circle.tsx'
import styles from './administrators-bar.module.css'

const links = [
  { to: '/today', label: '本日の営業', Icon: CalendarClock },
  { to: '/memberlist', label: 'メンバー', Icon: Users },
  { to: '/inbox', label: '受信箱', Icon: Inbox },
  { to: '/site', label: 'お店の情報', Icon: Store },
  { to: '/bin', label: 'ごみ箱', Icon: Trash2 },
]

/** What administrators need on every page: within reach of the thumb on a phone. */
export default function AdministratorsBar() {
  const { member } = useCircle()
  if (member?.administrator !== true) return null
  return (
    <nav className={styles.bar} aria-label="管理者のメニュー">
      <ul>
        {links.map(({ to, label, Icon }) => (
          <li key={to}>
            <NavLink to={to}>
              <Icon size={18} aria-hidden />
              {label}
            </NavLink>
          </li>
        ))}
        <li className={styles.last}>
          <SignOutButton>
            <LogOut size={18} aria-hidden />
            ログアウト
          </SignOutButton>
        </li>
      </ul>
    </nav>
  )
}
