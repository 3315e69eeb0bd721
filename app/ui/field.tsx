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
  /** Whether it must be filled in: said by the label and by the control. */
  required?: boolean
  /** What helps to fill it in, read before an error is. */
  hint?: ReactNode
  /** Refuses: said in red. */
  errors?: readonly string[] | undefined
  /** Only warns: said in amber, announced when it appears; not while a word is still being composed. */
  warning?: string | null | undefined
  children: (wiring: Wiring) => ReactNode
}

/** A label, its control, and what is said of it, tied together for everyone. */
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

/** Around a form of which everything must be filled in: says so once, in place of a mark on each field. */
export function AllRequired({ children }: { children: ReactNode }) {
  return (
    <SaidOnce value={true}>
      <p className={styles.all}>すべての項目をご記入ください。</p>
      {children}
    </SaidOnce>
  )
}

/** What a control is called, with what differs from most of its form: that it must be filled in, or need not be. */
export function LabelText({ label, required }: { label: string; required: boolean }) {
  const saidOnce = useContext(SaidOnce)
  return (
    <>
      {label}
      {required !== saidOnce && <span className={styles.mark}>{required ? '（必須）' : '（任意）'}</span>}
    </>
  )
}

/** For a select: a choice each, sent as it is read. */
export function optionsOf(words: readonly string[]) {
  return words.map((each) => <option key={each}>{each}</option>)
}
