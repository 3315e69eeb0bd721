import { useRouteLoaderData } from 'react-router'
import { isJapanese, langOf, t } from '../languages/language.ts'
import type { PublicSettings } from '../settings/site.ts'
import { LinkButton } from '../ui/button.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { documentTitle } from './page-meta.tsx'

const texts: Record<number, { title: string; english: string; text: string }> = {
  404: {
    title: 'お探しのページが見つかりません',
    english: 'Not found',
    text: 'ページの場所が変わったか、なくなったようです。アドレスをご確認いただくか、下のボタンからお進みください。',
  },
  405: {
    title: 'このページでは受け付けていません',
    english: 'Not allowed',
    text: '送信された内容は、保存していません。下のボタンからお進みください。',
  },
  415: {
    title: 'この形式ではお受けできません',
    english: 'Unsupported',
    text: '送信された内容は、保存していません。ページの入力欄からお送りください。',
  },
}

const defaultTexts = {
  title: 'ページを表示できませんでした',
  english: 'Sorry',
  text: '申し訳ございません。少し時間をおいて、もう一度お試しください。',
}

export function ErrorMessage({ status }: { status: number }) {
  const { english, ...words } = texts[status] ?? defaultTexts
  const title = t(words.title)
  // The root data is undefined if a form was rejected before any loader ran.
  const root = useRouteLoaderData('root') as { site: PublicSettings } | undefined
  return (
    <div className={page.page}>
      <title lang={langOf(root?.site.name)}>{root ? documentTitle(title, root.site) : title}</title>
      <meta name="robots" content="noindex" />
      <PageTitle title={title} english={isJapanese() ? english : ''} />
      <p>{t(words.text)}</p>
      <p className={page.actions}>
        <LinkButton to="/" primary>
          {t('ホームへ')}
        </LinkButton>
      </p>
    </div>
  )
}
