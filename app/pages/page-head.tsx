import type { ReactNode } from 'react'
import { lazily } from '../ui/lazily.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import type { Page } from './page.ts'
import styles from './page-head.module.css'

// Only for those who may edit.
const PageTools = lazily(async () => (await import('./page-tools.tsx')).default)

type Props = { page: Page; animated?: boolean; children?: ReactNode }

/** A page's title as its owner has it, with the pencil that leads to its form; `children` are what can be done here. */
export function PageHead({ page, animated = false, children }: Props) {
  return (
    <>
      <PageTitle title={page.title} english={page.english} animated={animated} beside={<PagePencil page={page} />}>
        {children}
      </PageTitle>
      <PageIntroduction page={page} />
    </>
  )
}

/** What a page begins with. */
export function PageIntroduction({ page: { introduction } }: { page: Page }) {
  return introduction ? <p className={styles.introduction}>{introduction}</p> : null
}

/** The way to a page's form, for those who may save there. */
export function PagePencil({ page }: { page: Page }) {
  return page.mayEdit ? <PageTools page={page} /> : null
}
