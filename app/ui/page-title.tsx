import type { ReactNode } from 'react'
import { Letters } from './letters.tsx'
import styles from './page-title.module.css'

type Props = { title: string; english: string; animated?: boolean; children?: ReactNode }

/** The Japanese name of a page over its English one; `children` are what can be done here. */
export function PageTitle({ title, english, animated = false, children }: Props) {
  return (
    <div className={styles.title}>
      <div>
        <h1>{animated ? <Letters text={title} /> : title}</h1>
        <p className={styles.subtitle} lang="en">
          {english}
        </p>
      </div>
      {children}
    </div>
  )
}
