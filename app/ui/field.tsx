import { createContext, type ReactNode, useContext, useId, useState } from 'react'
import { t } from '../languages/language.ts'
import styles from './field.module.css'

type ControlProps = {
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
  /** A warning that does not block the form. Announced when the warning appears, but not during an IME composition. */
  warning?: string | null | undefined
  children: (wiring: ControlProps) => ReactNode
}

export function Field({ label, required = false, hint, errors, warning, children }: Props) {
  const id = useId()
  const [isComposing, setIsComposing] = useState(false)
  const [shownWarning, setShownWarning] = useState(warning)
  if (!isComposing && shownWarning !== warning) setShownWarning(warning)
  const shownErrors = errors && errors.length > 0 ? errors : null
  const describedBy = [hint && `${id}-hint`, shownWarning && `${id}-warning`, shownErrors && `${id}-error`]
    .filter(Boolean)
    .join(' ')
  return (
    <div
      className={styles.field}
      onCompositionStart={() => setIsComposing(true)}
      onCompositionEnd={() => setIsComposing(false)}
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
        'aria-invalid': shownErrors ? true : undefined,
        'aria-describedby': describedBy || undefined,
      })}
      <span aria-live="polite">
        {shownWarning && (
          <span className={styles.warning} id={`${id}-warning`}>
            {shownWarning}
          </span>
        )}
      </span>
      {shownErrors && (
        <span className={styles.error} id={`${id}-error`}>
          {shownErrors.map((error) => t(error)).join(' ')}
        </span>
      )}
    </div>
  )
}

const AllRequiredContext = createContext(false)

export function AllRequired({ children }: { children: ReactNode }) {
  return (
    <AllRequiredContext value={true}>
      <p className={styles.all}>すべての項目をご記入ください。</p>
      {children}
    </AllRequiredContext>
  )
}

export function LabelText({ label, required }: { label: string; required: boolean }) {
  const isAllRequired = useContext(AllRequiredContext)
  return (
    <>
      {label}
      {required !== isAllRequired && <span className={styles.mark}>{t(required ? '（必須）' : '（任意）')}</span>}
    </>
  )
}

/** Returns the options of a select whose values have other labels. */
export function namedOptions(labels: Iterable<[value: string, label: string]>) {
  return [...labels].map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ))
}

export function optionsOf(labels: readonly string[]) {
  return labels.map((each) => <option key={each}>{each}</option>)
}
