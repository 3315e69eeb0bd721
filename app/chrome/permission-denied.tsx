import { useMatches, useRouteLoaderData } from 'react-router'
import { DeniedNotice } from '../forms/denied-notice.tsx'
import type { PublicSettings } from '../settings/site.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { documentTitle, type Handle } from './page-meta.tsx'

export default function PermissionDenied({ refusal }: { refusal: string }) {
  const { title } = (useMatches().at(-1)?.handle as Handle | undefined) ?? {}
  const root = useRouteLoaderData('root') as { site: PublicSettings }
  const name = typeof title === 'string' ? title : '管理者の画面'
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <title>{documentTitle(name, root.site)}</title>
      <meta name="robots" content="noindex" />
      <PageTitle title={name} />
      <DeniedNotice sentence={refusal} />
    </div>
  )
}
