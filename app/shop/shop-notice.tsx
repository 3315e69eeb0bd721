import { ArrowDown } from 'lucide'
import { t } from '../languages/language.ts'
import type { GuestNotice } from '../notices/notice.ts'
import { isLongNotice, MAX_SHOWN, NoticeLink, NoticeStack, NoticeText } from '../notices/notice-stack.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './shop-notice.module.css'

type Props = { notices: GuestNotice[] }

/** The first notices on the slideshow. A link leads to the full texts if the slideshow has not enough room for them. */
export function ShopNotice({ notices }: Props) {
  const isShortened = isShortenedOnSlideshow(notices)
  const length = notices.length > 1 ? styles.several : isShortened ? styles.long : ''
  return (
    <div className={`${styles.notice} ${length}`}>
      {notices.slice(0, MAX_SHOWN).map((notice) => (
        <p key={notice.id}>
          <NoticeText notice={notice} />
        </p>
      ))}
      {isShortened ? (
        <a href="#notice">
          {notices.length > 1
            ? t('お知らせをすべて読む（{count}件）', { count: notices.length })
            : t('お知らせの続きを読む')}
          <Icon of={ArrowDown} size={15} />
        </a>
      ) : (
        notices.map((notice) => <NoticeLink key={notice.id} notice={notice} />)
      )}
    </div>
  )
}

export function WholeNotices({ notices }: Props) {
  if (!isShortenedOnSlideshow(notices)) return null
  return (
    <section id="notice" className={styles.whole} aria-labelledby="notice-heading">
      <h2 id="notice-heading">{t('お知らせ')}</h2>
      <NoticeStack notices={notices} isFolded={false} />
    </section>
  )
}

function isShortenedOnSlideshow(notices: GuestNotice[]) {
  return notices.length > 1 || notices.some(({ text }) => isLongNotice(text))
}
