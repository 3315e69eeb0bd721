import { ArrowDown } from 'lucide'
import { Icon } from '../ui/icon.tsx'
import styles from './shop-notice.module.css'

const MAX_LINES = 3
// Characters per line on the smallest phone.
const CHARACTERS_PER_LINE = 15

export function ShopNotice({ notice }: { notice: string }) {
  if (!notice) return null
  const isLong = isLongNotice(notice)
  return (
    <div className={isLong ? `${styles.notice} ${styles.long}` : styles.notice}>
      <p>
        <b>お知らせ</b> <span>{notice}</span>
      </p>
      {isLong && (
        <a href="#notice">
          お知らせの続きを読む
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
      <h2 id="notice-heading">お知らせ</h2>
      <p>{notice}</p>
    </section>
  )
}

function isLongNotice(notice: string) {
  const lines = notice.split('\n').map((line) => Math.max(1, Math.ceil(line.length / CHARACTERS_PER_LINE)))
  return lines.reduce((sum, lineCount) => sum + lineCount, 0) > MAX_LINES
}
