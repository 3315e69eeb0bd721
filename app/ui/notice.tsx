import type { ReactNode } from 'react'
import styles from './notice.module.css'

type Props = { kind?: 'word' | 'done' | 'trouble'; children: ReactNode }

/** A word to the reader in the page; trouble and success are announced when they appear. */
export function Notice({ kind = 'word', children }: Props) {
  const role = kind === 'trouble' ? 'alert' : kind === 'done' ? 'status' : undefined
  return (
    <div className={`${styles.notice} ${kind === 'word' ? '' : styles[kind]}`} role={role}>
      {children}
    </div>
  )
}
