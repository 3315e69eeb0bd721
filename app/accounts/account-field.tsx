import { type FieldMetadata, getInputProps } from '@conform-to/react'
import { type ReactNode, useState } from 'react'
import { Field } from '../ui/field.tsx'
import styles from './accounts.module.css'
import { type PasswordPolicy, passwordRules } from './password.ts'

type Props = {
  field: FieldMetadata<string>
  label: string
  hint?: ReactNode
  type?: 'text' | 'email' | 'password'
  autoComplete: string
  onInput?: (value: string) => void
}

/** One line of a form about the account. */
export function AccountField({ field, label, hint, type = 'text', autoComplete, onInput }: Props) {
  const { key, ...input } = getInputProps(field, { type })
  return (
    <Field label={label} hint={hint} errors={field.errors}>
      {(wiring) => (
        <input
          key={key}
          {...input}
          {...wiring}
          autoComplete={autoComplete}
          onInput={onInput && ((event) => onInput(event.currentTarget.value))}
        />
      )}
    </Field>
  )
}

/** The line for the password that the account has now. */
export function CurrentPassword({ field }: { field: FieldMetadata<string> }) {
  return <AccountField field={field} label="今のパスワード" type="password" autoComplete="current-password" />
}

const USUAL_MAXIMUM = 100

/** The line for a new password: its rules are shown, and marked as they are met. */
export function NewPasswordField({
  field,
  label = 'パスワード',
  policy,
}: {
  field: FieldMetadata<string>
  label?: string
  policy: PasswordPolicy
}) {
  const [typed, setTyped] = useState('')
  const rules = passwordRules(policy).map(({ words, met }) => ({ words, met: met(typed) }))
  const told = rules.filter(({ words, met }) => words !== `${policy.max}文字以内` || policy.max < USUAL_MAXIMUM || !met)
  return (
    <AccountField
      field={field}
      label={label}
      type="password"
      autoComplete="new-password"
      onInput={setTyped}
      hint={
        <span className={styles.rules}>
          {told.map(({ words, met }) => (
            <span key={words} className={met && typed ? styles.met : undefined}>
              <span aria-hidden="true">{met && typed ? '✓' : '・'}</span>
              {words}
              {met && typed && <span className="visually-hidden">（満たしています）</span>}
            </span>
          ))}
        </span>
      }
    />
  )
}
