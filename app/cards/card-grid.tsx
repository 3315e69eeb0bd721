import { Children, type ReactNode } from 'react'
import styles from './card-grid.module.css'

type Props = {
  /** `wide`: three columns from 1,200 px, four from 1,600 px. `video`: from 1,570, 1,650 px. Both: two from 650 px. */
  columns: 'wide' | 'video'
  empty: string
  children: ReactNode
}

export function CardGrid({ columns, empty, children }: Props) {
  const count = Children.count(children)
  if (count === 0) return <p className={styles.empty}>{empty}</p>
  return (
    <ul className={`${styles.grid} ${styles[columns]}`}>
      {children}
      {[1, 2, 3].map((position) => (
        <li key={position} aria-hidden="true" className={`${styles.blank} ${classesOfBlank(position, count)}`} />
      ))}
    </ul>
  )
}

// The server does not know the viewport width, so each empty cell has a class for each column count that needs it.
function classesOfBlank(position: number, count: number) {
  return [2, 3, 4]
    .filter((columns) => (columns - (count % columns)) % columns >= position)
    .map((columns) => styles[`at${columns}`])
    .join(' ')
}
