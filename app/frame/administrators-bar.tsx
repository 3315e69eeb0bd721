import { CalendarClock, Inbox, LogOut, Store, Trash2, Users } from 'lucide'
import { NavLink } from 'react-router'
import { useCircle } from '../members/circle.tsx'
import { SignOutButton } from '../sign-in/sign-out-button.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './administrators-bar.module.css'

const links = [
  { to: '/today', label: '本日の営業', icon: CalendarClock },
  { to: '/memberlist', label: 'メンバー', icon: Users },
  { to: '/inbox', label: '受信箱', icon: Inbox },
  { to: '/site', label: 'お店の情報', icon: Store },
  { to: '/bin', label: 'ごみ箱', icon: Trash2 },
]

/** What administrators need on every page: within reach of the thumb on a phone. */
export default function AdministratorsBar() {
  const { member } = useCircle()
  if (member?.administrator !== true) return null
  return (
    <nav className={styles.bar} aria-label="管理者のメニュー">
      <ul>
        {links.map(({ to, label, icon }) => (
          <li key={to}>
            <NavLink to={to}>
              <Icon of={icon} size={18} />
              {label}
            </NavLink>
          </li>
        ))}
        <li className={styles.last}>
          <SignOutButton>
            <Icon of={LogOut} size={18} />
            ログアウト
          </SignOutButton>
        </li>
      </ul>
    </nav>
  )
}
