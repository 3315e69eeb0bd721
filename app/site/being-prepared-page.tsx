import { Link } from 'react-router'
import button from '../ui/button.module.css'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/being-prepared-page.ts'
import { pageMeta } from './page-meta.ts'

const TITLE = '記事の追加と編集'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: TITLE, path: '/firestoreservice', listed: false })
}

export default function BeingPreparedPage() {
  return (
    <div className={page.page}>
      <PageTitle title={TITLE} english="Contents" />
      <p>この画面はただいま準備しております。</p>
      <p className={page.actions}>
        <Link to="/" className={button.button}>
          ホームへ
        </Link>
      </p>
    </div>
  )
}
