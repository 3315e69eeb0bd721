import { graphemes } from './characters.ts'
import styles from './letters.module.css'

/** A line whose letters appear one by one, 0.1 s apart; screen readers get it whole. `waiting` holds it back. */
export function Letters({ text, waiting = false }: { text: string; waiting?: boolean }) {
  return (
    <>
      <span className="visually-hidden">{text}</span>
      <span aria-hidden="true" className={waiting ? `${styles.letters} ${styles.waiting}` : styles.letters}>
        {graphemes(text).map((letter, index) => (
          <span key={index}>{letter}</span>
        ))}
      </span>
    </>
  )
}
