import styles from './letters.module.css'

/** A line whose letters appear one by one, 0.1 s apart, as one text for all who read it. `waiting` holds it back. */
export function Letters({ text, waiting = false }: { text: string; waiting?: boolean }) {
  return <span className={waiting ? styles.waiting : styles.letters}>{text}</span>
}
