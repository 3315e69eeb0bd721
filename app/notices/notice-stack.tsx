import { Link } from 'react-router'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { safeLink } from '../ui/safe-link.ts'
import type { GuestNotice } from './notice.ts'
import styles from './notice-stack.module.css'

export const MAX_SHOWN = 3
const MAX_LINES = 3
// The number of characters in a line on the smallest phone.
const CHARACTERS_PER_LINE = 15

export function PageNotices({ notices }: { notices: GuestNotice[] }) {
  return (
    <section className={styles.notices} aria-label={t('お店からのお知らせ')}>
      <NoticeStack notices={notices} isFolded />
    </section>
  )
}

type ListProps = { notices: GuestNotice[]; isFolded: boolean }

/** Shows the first notices, and the others in a `details` element. `isFolded` folds the first notices if they are long. */
export function NoticeStack({ notices, isFolded }: ListProps) {
  const others = notices.slice(MAX_SHOWN)
  return (
    <>
      <NoticeList notices={notices.slice(0, MAX_SHOWN)} isFolded={isFolded} />
      {others.length > 0 && (
        <details className={styles.others}>
          <summary>{t('ほかのお知らせ（{count}件）', { count: others.length })}</summary>
          <NoticeList notices={others} isFolded={false} />
        </details>
      )}
    </>
  )
}

function NoticeList({ notices, isFolded }: ListProps) {
  return (
    <ul className={styles.list}>
      {notices.map((notice) => (
        <li key={notice.id} className={notice.important ? `${styles.notice} ${styles.important}` : styles.notice}>
          {isFolded && isLongNotice(notice.text) ? (
            <details className={styles.long}>
              <summary>
                <span className={styles.text}>
                  <NoticeText notice={notice} />
                </span>
                <span className={styles.more}>{t('続きを読む')}</span>
              </summary>
              <NoticeLink notice={notice} />
            </details>
          ) : (
            <>
              {/* A component for each of a hundred notices would slow down the page. */}
              {NoticeText({ notice })}
              {notice.link && <NoticeLink notice={notice} />}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

export function NoticeText({ notice: { text, important } }: { notice: GuestNotice }) {
  return (
    <>
      <b>{t(important ? '重要なお知らせ' : 'お知らせ')}</b> <span>{words(text)}</span>
    </>
  )
}

export function NoticeLink({ notice }: { notice: GuestNotice }) {
  const link = safeLink(notice.link)
  if (!link) return null
  return (
    <Link
      to={link.href}
      className={styles.link}
      {...(link.elsewhere && { target: '_blank', rel: 'noopener noreferrer' })}
    >
      {t('くわしくはこちら')}
    </Link>
  )
}

export function isLongNotice(text: string) {
  const lines = text.split('\n').map((line) => Math.max(1, Math.ceil(line.length / CHARACTERS_PER_LINE)))
  return lines.reduce((sum, lineCount) => sum + lineCount, 0) > MAX_LINES
}
