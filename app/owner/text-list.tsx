import type { ReactNode } from 'react'
import styles from '../accounts/accounts.module.css'

/** List of the texts that apply to this site. */
export function TextList({ texts }: { texts: ReactNode[] }) {
  return <ul className={styles.list}>{texts.map((text, index) => text && <li key={index}>{text}</li>)}</ul>
}
