import { type ReactNode, useId } from 'react'
import styles from './field.module.css'

type Wiring = { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined }

type Props = {
  label: string
  /** What helps to fill it in, read before an error is. */
  hint?: ReactNode
  /** Refuses: said in red. */
  errors?: readonly string[] | undefined
  /** Only warns: said in amber, announced when it appears. */
  warning?: string | null | undefined
  children: (wiring: Wiring) => ReactNode
}

/** A label, its control, and what is said of it, tied together for everyone. */
export function Field({ label, hint, errors, warning, children }: Props) {
  const id = useId()
  const said = errors && errors.length > 0 ? errors : null
  const describedBy = [hint && `${id}-hint`, warning && `${id}-warning`, said && `${id}-error`]
    .filter(Boolean)
    .join(' ')
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {hint && (
        <span className={styles.hint} id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {children({ id, 'aria-invalid': said ? true : undefined, 'aria-describedby': describedBy || undefined })}
      <span aria-live="polite">
        {warning && (
          <span className={styles.warning} id={`${id}-warning`}>
            {warning}
          </span>
        )}
      </span>
      {said && (
        <span className={styles.error} id={`${id}-error`}>
          {said.join(' ')}
        </span>
      )}
    </div>
  )
}

/** For a select: a choice each, sent as it is read. */
export function optionsOf(words: readonly string[]) {
  return words.map((each) => <option key={each}>{each}</option>)
}
