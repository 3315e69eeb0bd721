import { type ReactNode, useEffect } from 'react'
import type { Page } from '../pages/page.ts'
import { PageBackdrop } from '../pages/page-backdrop.tsx'
import { PageHead } from '../pages/page-head.tsx'
import type { Card } from './card.ts'
import { CardArticle } from './card-article.tsx'
import { CardGrid } from './card-grid.tsx'
import { AddCard, EditPencil } from './edit-links.tsx'
import type { Editing } from './editing.ts'
import styles from './introduction.module.css'

type Props = {
  about: Page
  items: Card[]
  editing: Editing
  columns?: 'wide' | 'video'
  pointedId?: string | undefined
  bright?: boolean
  children?: ReactNode
}

const sizes = {
  wide: '(min-width: 1600px) 24vw, (min-width: 1200px) 31vw, (min-width: 650px) 47vw, 92vw',
  video: '(min-width: 1650px) 24vw, (min-width: 1570px) 31vw, (min-width: 650px) 47vw, 92vw',
}

export function Introduction({ about, items, editing, columns = 'wide', pointedId, bright, children }: Props) {
  useEffect(() => {
    if (pointedId) document.getElementById(`card-${pointedId}`)?.scrollIntoView({ block: 'center' })
  }, [pointedId])
  return (
    <div className={bright ? `${styles.introduction} ${styles.court}` : styles.introduction}>
      <PageBackdrop page={about} what="背景の映像" className={styles.film} pauseClassName={styles.pause} />
      <div className={styles.inside}>
        <div className={styles.plate}>
          <PageHead page={about} animated>
            {children}
            <AddCard posttitle={about.title} editing={editing} />
          </PageHead>
        </div>
        <CardGrid columns={columns} empty={about.empty}>
          {items.map((item, index) => (
            <CardArticle
              key={item.id}
              item={item}
              sizes={sizes[columns]}
              place={index}
              pointed={item.id === pointedId}
              pencil={<EditPencil item={item} posttitle={about.title} editing={editing} />}
            />
          ))}
        </CardGrid>
      </div>
    </div>
  )
}
