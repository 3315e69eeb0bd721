import { type FormEvent, type ReactNode, useState } from 'react'
import { Link } from 'react-router'
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

export function PrivacyNote() {
  return (
    <p className={styles.small}>
      お預かりする情報については<Link to="/privacy">プライバシーについて</Link>をご覧ください。
    </p>
  )
}

const USUAL_MAX_LENGTH = 100

type NewPasswordProps = { save: Saving; label?: string; policy: PasswordPolicy; startsShown?: boolean }

export function NewPasswordField({ save, label = 'パスワード', policy, startsShown = false }: NewPasswordProps) {
  const [password, setPassword] = useState('')
  const rules = passwordRules(policy).map(({ text, isMet }) => ({ text, isMet: isMet(password) }))
  const shownRules = rules.filter(
    ({ text, isMet }) => text !== `${policy.max}文字以内` || policy.max < USUAL_MAX_LENGTH || !isMet,
  )
  return (
    <AccountField
      save={save}
      name="password"
      label={label}
      type="password"
      autoComplete="new-password"
      startsShown={startsShown}
      onInput={setPassword}
      hint={
        <span className={styles.rules}>
          {shownRules.map(({ text, isMet }) => (
            <span key={text} className={isMet && password ? styles.met : undefined}>
              <span aria-hidden="true">{isMet && password ? '✓' : shownRules.length > 1 && '・'}</span>
              {text}
              {isMet && password && <span className="visually-hidden">（満たしています）</span>}
            </span>
          ))}
        </span>
      }
    />
  )
}

function EmailField(props: Pick<Props, 'save' | 'first' | 'hint'> & { autoComplete?: string }) {
  return <AccountField name="email" label="メールアドレス" type="email" autoComplete="username" {...props} />
}

type NewAccountProps = {
  save: Saving
  policy: PasswordPolicy
  hint?: string | undefined
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
      <EmailField save={save} autoComplete="username webauthn" />
      <AccountField save={save} name="password" label="パスワード" type="password" autoComplete="current-password" />
    </AllRequired>
  )
}
