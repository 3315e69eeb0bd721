import { words } from '../languages/words.tsx'
import styles from './letters.module.css'

/** A line whose letters appear one by one. The line stays a single text node for screen readers. */
export function Letters({ text, waiting = false }: { text: string; waiting?: boolean }) {
  return <span className={waiting ? styles.waiting : styles.letters}>{words(text)}</span>
}
