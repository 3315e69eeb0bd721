import styles from './long-text.module.css'
import { splitIntoChunks } from './member.ts'

/** Text as typed, in chunks of 200 characters on a wide screen and 100 characters on a narrow screen. */
export function LongText({ text }: { text: string }) {
  return (
    <span className={styles.text}>
      {splitIntoChunks(text, 200).map((piece, index) => (
        <span key={index} className={styles.piece}>
          {splitIntoChunks(piece, 100).map((half, halfIndex) => (
            <span key={halfIndex} className={styles.half}>
              {half}
            </span>
          ))}
        </span>
      ))}
    </span>
  )
}
