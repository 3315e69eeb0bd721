import styles from './read-only-field.module.css'

/** A labelled value to copy. Focus selects the whole value. */
export function ReadOnlyField({ label, value }: { label: string; value: string }) {
  return (
    <label className={styles.field}>
      {label}
      <input readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
    </label>
  )
}
