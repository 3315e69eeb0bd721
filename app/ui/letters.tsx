import styles from './letters.module.css'

const segmenter = new Intl.Segmenter('ja', { granularity: 'grapheme' })

/** A line whose letters appear one by one, 0.1 s apart; screen readers get it whole. `waiting` holds it back. */
export function Letters({ text, waiting = false }: { text: string; waiting?: boolean }) {
  const letters = [...segmenter.segment(text)].map(({ segment }) => segment)
  return (
    <>
      <span className="visually-hidden">{text}</span>
      <span aria-hidden="true" className={waiting ? `${styles.letters} ${styles.waiting}` : styles.letters}>
        {letters.map((letter, index) => (
          <span key={index}>{letter}</span>
        ))}
      </span>
    </>
  )
}
