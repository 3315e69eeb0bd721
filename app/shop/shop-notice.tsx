import { ArrowDown } from 'lucide'
import { t } from '../languages/language.ts'
import { Words } from '../languages/words.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './shop-notice.module.css'

const MAX_LINES = 3
// The number of characters in a line on the smallest phone.
const CHARACTERS_PER_LINE = 15

export function ShopNotice({ notice }: { notice: string }) {
  if (!notice) return null
  const isLong = isLongNotice(notice)
  return (
    <div className={isLong ? `${styles.notice} ${styles.long}` : styles.notice}>
      <p>
        <b>{t('お知らせ')}</b>{' '}
        <span>
          <Words>{notice}</Words>
        </span>
      </p>
      {isLong && (
        <a href="#notice">
          {t('お知らせの続きを読む')}
          <Icon of={ArrowDown} size={15} />
        </a>
      )}
    </div>
  )
}

export function WholeNotice({ notice }: { notice: string }) {
  if (!isLongNotice(notice)) return null
  return (
    <section id="notice" className={styles.whole} aria-labelledby="notice-heading">
      <h2 id="notice-heading">{t('お知らせ')}</h2>
      <p>
        <Words>{notice}</Words>
      </p>
    </section>
  )
}

function isLongNotice(notice: string) {
  const lines = notice.split('\n').map((line) => Math.max(1, Math.ceil(line.length / CHARACTERS_PER_LINE)))
  return lines.reduce((sum, lineCount) => sum + lineCount, 0) > MAX_LINES
}
