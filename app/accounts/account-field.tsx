import { type FormEvent, type ReactNode, useState } from 'react'
import type { Saving } from '../forms/use-save.ts'
import { AllRequired, Field } from '../ui/field.tsx'
import styles from './accounts.module.css'
import { type PasswordPolicy, passwordRules } from './password.ts'
import { PasswordInput } from './password-input.tsx'

type Props = {
  save: Saving
  name: string
  label: string
  hint?: ReactNode
  type?: 'text' | 'email' | 'password'
  autoComplete: string
  /** Default value. */
  first?: string
  startsShown?: boolean
  onInput?: (value: string) => void
}

export function AccountField({ save, name, label, hint, type = 'text', first, onInput, ...props }: Props) {
  const { autoComplete, startsShown } = props
  return (
    <Field label={label} required hint={hint} errors={save.errors?.[name]}>
      {(wiring) => {
        const input = {
          ...wiring,
          name,
          defaultValue: save.answer?.values?.[name] ?? first,
          autoComplete,
          onInput: onInput && ((event: FormEvent<HTMLInputElement>) => onInput(event.currentTarget.value)),
        }
        if (type !== 'password') return <input {...input} type={type} />
        return <PasswordInput {...input} label={label} startsShown={startsShown ?? false} />
      }}
    </Field>
  )
}

export function CurrentPassword({ save }: { save: Saving }) {
  return (
    <AccountField save={save} name="current" label="現在のパスワード" type="password" autoComplete="current-password" />
  )
}

const USUAL_MAXIMUM = 100

type NewPasswordProps = { save: Saving; label?: string; policy: PasswordPolicy; startsShown?: boolean }

/** Field for a new password. Marks each rule of the policy that the typed password meets. */
export function NewPasswordField({ save, label = 'パスワード', policy, startsShown = false }: NewPasswordProps) {
  const [typed, setTyped] = useState('')
  const rules = passwordRules(policy).map(({ words, met }) => ({ words, met: met(typed) }))
  const told = rules.filter(({ words, met }) => words !== `${policy.max}文字以内` || policy.max < USUAL_MAXIMUM || !met)
  return (
    <AccountField
      save={save}
      name="password"
      label={label}
      type="password"
      autoComplete="new-password"
      startsShown={startsShown}
      onInput={setTyped}
      hint={
        <span className={styles.rules}>
          {told.map(({ words, met }) => (
            <span key={words} className={met && typed ? styles.met : undefined}>
              <span aria-hidden="true">{met && typed ? '✓' : told.length > 1 && '・'}</span>
              {words}
              {met && typed && <span className="visually-hidden">（満たしています）</span>}
            </span>
          ))}
        </span>
      }
    />
  )
}

function EmailField(props: Pick<Props, 'save' | 'first' | 'hint'>) {
  return <AccountField name="email" label="メールアドレス" type="email" autoComplete="username" {...props} />
}

type NewAccountProps = {
  save: Saving
  policy: PasswordPolicy
  hint?: string | undefined
  /** Default values. */
  first?: { name?: string; email?: string }
  showsPassword?: boolean
}

export function NewAccountFields({ save, policy, hint, first = {}, showsPassword = false }: NewAccountProps) {
  const { name = '', email = '' } = first
  return (
    <AllRequired>
      <AccountField save={save} name="name" label="お名前" autoComplete="name" first={name} />
      <EmailField save={save} first={email} hint={hint} />
      <NewPasswordField save={save} policy={policy} startsShown={showsPassword} />
    </AllRequired>
  )
}

export function SignInFields({ save }: { save: Saving }) {
  return (
    <AllRequired>
      <EmailField save={save} />
      <AccountField save={save} name="password" label="パスワード" type="password" autoComplete="current-password" />
    </AllRequired>
  )
}
