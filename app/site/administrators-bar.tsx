import { Form, NavLink } from 'react-router'
import { useCircle } from '../members/circle.tsx'
import styles from './administrators-bar.module.css'

const links = [
  { to: '/today', label: '本日の営業' },
  { to: '/memberlist', label: 'メンバー' },
  { to: '/inbox', label: '受信箱' },
  { to: '/site', label: 'お店の情報' },
]

/** What administrators need on every page: within reach of the thumb on a phone. */
export function AdministratorsBar() {
  const { member } = useCircle()
  if (member?.administrator !== true) return null
  return (
    <nav className={styles.bar} aria-label="管理者のメニュー">
      <ul>
        {links.map(({ to, label }) => (
          <li key={to}>
            <NavLink to={to}>{label}</NavLink>
          </li>
        ))}
        <li className={styles.last}>
          <Form method="post" action="/logout">
            <button type="submit">ログアウト</button>
          </Form>
        </li>
      </ul>
    </nav>
  )
}
