import { Children, type ReactNode } from 'react'
import { words } from '../languages/words.tsx'
import styles from './card-grid.module.css'

type Props = {
  /**
   * Both grids have two columns from 650 px. `wide` has three columns from 1,200 px and four columns from 1,600 px.
   * `video` has three columns from 1,570 px and four columns from 1,650 px.
   */
  columns: 'wide' | 'video'
  empty: string
  children: ReactNode
}

export function CardGrid({ columns, empty, children }: Props) {
  const count = Children.count(children)
  if (count === 0) return <p className={styles.empty}>{words(empty)}</p>
  return (
    <ul className={`${styles.grid} ${styles[columns]}`}>
      {children}
      {[1, 2, 3].map((position) => (
        <li key={position} aria-hidden="true" className={`${styles.blank} ${classesOfBlank(position, count)}`} />
      ))}
    </ul>
  )
}

// An empty cell has a class for each column count with this cell, because the server knows no viewport width.
function classesOfBlank(position: number, count: number) {
  return [2, 3, 4]
    .filter((columns) => (columns - (count % columns)) % columns >= position)
    .map((columns) => styles[`at${columns}`])
    .join(' ')
}
