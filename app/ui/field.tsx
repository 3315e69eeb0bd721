import { createContext, type ReactNode, useContext, useId, useState } from 'react'
import styles from './field.module.css'

type Wiring = {
  id: string
  required: boolean
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

type Props = {
  label: string
  required?: boolean
  hint?: ReactNode
  errors?: readonly string[] | undefined
  /** Does not block the form. Announced when it appears, but not during an IME composition. */
  warning?: string | null | undefined
  children: (wiring: Wiring) => ReactNode
}

export function Field({ label, required = false, hint, errors, warning, children }: Props) {
  const id = useId()
  const [composing, setComposing] = useState(false)
  const [warned, setWarned] = useState(warning)
  if (!composing && warned !== warning) setWarned(warning)
  const said = errors && errors.length > 0 ? errors : null
  const describedBy = [hint && `${id}-hint`, warned && `${id}-warning`, said && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div
      className={styles.field}
      onCompositionStart={() => setComposing(true)}
      onCompositionEnd={() => setComposing(false)}
    >
      <label className={styles.label} htmlFor={id}>
        <LabelText label={label} required={required} />
      </label>
      {hint && (
        <span className={styles.hint} id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {children({
        id,
        required,
        'aria-invalid': said ? true : undefined,
        'aria-describedby': describedBy || undefined,
      })}
      <span aria-live="polite">
        {warned && (
          <span className={styles.warning} id={`${id}-warning`}>
            {warned}
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

const SaidOnce = createContext(false)

/** A form section with only required fields: one sentence replaces the notes of its fields. */
export function AllRequired({ children }: { children: ReactNode }) {
  return (
    <SaidOnce value={true}>
      <p className={styles.all}>すべての項目をご記入ください。</p>
      {children}
    </SaidOnce>
  )
}

/** A label with a note if the field is an exception: required, or optional inside `AllRequired`. */
export function LabelText({ label, required }: { label: string; required: boolean }) {
  const saidOnce = useContext(SaidOnce)
  return (
    <>
      {label}
      {required !== saidOnce && <span className={styles.mark}>{required ? '（必須）' : '（任意）'}</span>}
    </>
  )
}

export function optionsOf(words: readonly string[]) {
  return words.map((each) => <option key={each}>{each}</option>)
}
