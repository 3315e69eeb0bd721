import styles from './long-text.module.css'
import { chunked } from './member.ts'

/** A text as typed, in chunks of 200 characters on a wide screen and 100 on a narrow one. */
export function LongText({ text }: { text: string }) {
  return (
    <span className={styles.text}>
      {chunked(text, 200).map((piece, index) => (
        <span key={index} className={styles.piece}>
          {chunked(piece, 100).map((half, at) => (
            <span key={at} className={styles.half}>
              {half}
            </span>
          ))}
        </span>
      ))}
    </span>
  )
}
