import type { ReactNode } from 'react'
import { words } from '../languages/words.tsx'
import { Letters } from './letters.tsx'
import styles from './page-title.module.css'

type Props = { title: string; english?: string; animated?: boolean; beside?: ReactNode; children?: ReactNode }

export function PageTitle({ title, english, animated = false, beside, children }: Props) {
  const heading = <h1>{animated ? <Letters text={title} /> : words(title)}</h1>
  return (
    <div className={styles.title}>
      <div>
        {beside ? (
          <div className={styles.beside}>
            {heading}
            {beside}
          </div>
        ) : (
          heading
        )}
        {english && (
          <p className={styles.subtitle} lang="en">
            {english}
          </p>
        )}
      </div>
      {children}
    </div>
  )
}
