import type { ReactNode } from 'react'
import { words } from '../languages/words.tsx'
import { useNotices } from '../notices/use-notices.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import type { Page } from './page.ts'
import styles from './page-head.module.css'

// The edit tools are loaded only for visitors who may edit the page.
const PageTools = lazyComponent(async () => (await import('./page-tools.tsx')).default)
const PageNotices = lazyComponent(async () => (await import('../notices/notice-stack.tsx')).PageNotices)

type Props = { page: Page; animated?: boolean; children?: ReactNode }

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

/** The introduction of a page and its notices. */
export function PageIntroduction({ page: { id, introduction } }: { page: Page }) {
  const notices = useNotices(id)
  return (
    <>
      {introduction && <p className={styles.introduction}>{words(introduction)}</p>}
      {notices.length > 0 && <PageNotices notices={notices} />}
    </>
  )
}

export function PagePencil({ page }: { page: Page }) {
  return page.mayEdit ? <PageTools page={page} /> : null
}
