import { ArrowDown } from 'lucide'
import type { GuestNotice } from '../notices/notice.ts'
import { isLongNotice, NoticeLink, NoticeStack } from '../notices/notice-stack.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './shop-notice.module.css'

const MAX_SHOWN = 3

/** The first notices on the slideshow. A link leads to the full texts if the slideshow has not enough room for them. */
export function ShopNotice({ notices }: { notices: GuestNotice[] }) {
  const [first] = notices
  if (!first) return null
  const isShortened = isShortenedOnSlideshow(notices)
  return (
    <div
      className={[styles.notice, isShortened && styles.long, notices.length > 1 && styles.several]
        .filter(Boolean)
        .join(' ')}
    >
      {notices.slice(0, MAX_SHOWN).map(({ id, text, important }) => (
        <p key={id}>
          <b>{important ? '重要なお知らせ' : 'お知らせ'}</b> <span>{text}</span>
        </p>
      ))}
      {!isShortened && <NoticeLink notice={first} />}
      {isShortened && (
        <a href="#notice">
          {notices.length > 1 ? `お知らせをすべて読む（${notices.length}件）` : 'お知らせの続きを読む'}
          <Icon of={ArrowDown} size={15} />
        </a>
      )}
    </div>
  )
}

export function WholeNotices({ notices }: { notices: GuestNotice[] }) {
  const [first] = notices
  if (!first || !isShortenedOnSlideshow(notices)) return null
  return (
    <section id="notice" className={styles.whole} aria-labelledby="notice-heading">
      <h2 id="notice-heading">お知らせ</h2>
      {notices.length > 1 ? (
        <NoticeStack notices={notices} />
      ) : (
        <>
          <p>{first.text}</p>
          <NoticeLink notice={first} />
        </>
      )}
    </section>
  )
}

function isShortenedOnSlideshow(notices: GuestNotice[]) {
  return notices.length > 1 || notices.some(({ text }) => isLongNotice(text))
}
