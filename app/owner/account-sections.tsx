import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { AccountField, CurrentPassword, NewPasswordField } from '../accounts/account-field.tsx'
import { deleteAccountForm, EmailChangeForm, passwordForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { clearLocalFlags, notifyOtherTabs } from '../accounts/local-flags.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type Saving, useSave } from '../forms/use-save.ts'
import button from '../ui/button.module.css'
import { Button, LinkButton } from '../ui/button.tsx'
import { AllRequired, LabelText } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/account-page.ts'

export type Account = NonNullable<Route.ComponentProps['loaderData']>

export function EmailSection({ email, emailVerified, hasPassword, verifies }: Account) {
  const save = useSave({ intents: ['email'], check: checkFields(EmailChangeForm), resets: true })
  const verificationSave = useSave({ intents: ['verify'] })
  return (
    <section className={page.section}>
      <h2>メールアドレス</h2>
      <p>{`${email}（${emailVerified ? '確認済み' : '未確認'}）`}</p>
      {!emailVerified && verifies && (
        <SaveForm save={verificationSave}>
          <p className={page.actions}>
            <Button type="submit" name="intent" value="verify" aria-disabled={verificationSave.busy}>
              確認のメールを送る
            </Button>
          </p>
          <Outcome save={verificationSave} />
        </SaveForm>
      )}
      {hasPassword && (
        <DisclosureForm save={save} title="メールアドレスを変更する" intent="email" label="変更する">
          <AllRequired>
            <AccountField save={save} name="email" label="新しいメールアドレス" type="email" autoComplete="email" />
            <CurrentPassword save={save} />
          </AllRequired>
        </DisclosureForm>
      )}
    </section>
  )
}

export function PasswordSection({ hasPassword, passwords }: Account) {
  const save = useSave({ intents: ['password'], check: checkFields(passwordForm(passwords)), resets: true })
  return (
    <section className={page.section}>
      <h2>パスワード</h2>
      {hasPassword ? (
        <DisclosureForm save={save} title="パスワードを変更する" intent="password" label="変更する">
          <AllRequired>
            <CurrentPassword save={save} />
            <NewPasswordField save={save} label="新しいパスワード" policy={passwords} />
          </AllRequired>
        </DisclosureForm>
      ) : (
        <p>
          Googleでログインされているため、パスワードはありません。必要なときは
          <Link to="/resetpassword">パスワードの再設定</Link>から設定できます。
        </p>
      )}
    </section>
  )
}

export function DevicesSection({ devices }: Account) {
  const save = useSave({ intents: ['device', 'other devices'] })
  return (
    <section className={page.section}>
      <h2>ログインしている端末</h2>
      <ul className={styles.devices}>
        {devices.map(({ id, name, ipAddress, usedAt, here }) => (
          <li key={id}>
            <span>
              {`${name}${here ? '（この端末）' : ''}`}
              <br />
              <span className={styles.small}>{`${usedAt} ${ipAddress}`}</span>
            </span>
            {!here && (
              <SaveForm save={save} hiddenFields={{ device: id }}>
                <Button type="submit" name="intent" value="device" aria-disabled={save.busy}>
                  <span className="visually-hidden">{`${name}（${usedAt}）を`}</span>
                  ログアウトさせる
                </Button>
              </SaveForm>
            )}
          </li>
        ))}
      </ul>
      {devices.length > 1 && (
        <SaveForm save={save}>
          <Button type="submit" name="intent" value="other devices" aria-disabled={save.busy}>
            ほかの端末をすべてログアウトさせる
          </Button>
        </SaveForm>
      )}
      <Outcome save={save} />
    </section>
  )
}

export function DeleteAccountSection({ proof }: Account) {
  const save = useSave({
    intents: ['leave'],
    check: checkFields(deleteAccountForm(proof === 'password')),
    // A full page load clears the data of the deleted account from memory.
    onDone: () => {
      clearLocalFlags()
      notifyOtherTabs()
      location.assign('/home')
    },
  })
  const agreementErrors = save.errors?.agreed
  return (
    <section className={page.section}>
      <h2>退会</h2>
      {proof === 'sign-in' ? (
        <GoogleSignIn purpose="退会する" target="account" />
      ) : (
        <DisclosureForm save={save} title="退会する" intent="leave" meanwhile="退会の手続きをしています…">
          <p>アカウント、登録された内容、ログインの記録がすぐに削除されます。元には戻せません。</p>
          <label className={styles.agree}>
            <input
              type="checkbox"
              name="agreed"
              required
              aria-invalid={agreementErrors ? true : undefined}
              aria-describedby={agreementErrors && 'leave-agreed-error'}
            />
            <span>
              <LabelText label="内容を確認しました" required />
            </span>
          </label>
          {agreementErrors && <p id="leave-agreed-error">{agreementErrors}</p>}
          {proof === 'password' && <CurrentPassword save={save} />}
        </DisclosureForm>
      )}
    </section>
  )
}

/** The request to sign in again, before an account without a password can do something dangerous. */
export function GoogleSignIn({ purpose, target }: { purpose: string; target: 'account' | 'backup' }) {
  return (
    <>
      <p>{`${purpose}には、Googleでもう一度ログインしてください。ログインから10分のあいだ、操作できます。`}</p>
      <p className={page.actions}>
        <a href={`/login/google?for=${target}`} className={button.button}>
          Googleでもう一度ログインする
        </a>
        <LinkButton to="/resetpassword">パスワードを設定する</LinkButton>
      </p>
    </>
  )
}

type DisclosureProps = {
  save: Saving
  title: string
  intent: string
  /** Label of the submit button. By default, the title. */
  label?: string
  meanwhile?: string
  children: ReactNode
}

export function DisclosureForm(props: DisclosureProps) {
  const { save, title, intent, label = title, meanwhile = '変更しています…', children } = props
  return (
    <details className={styles.more} open={save.cameWithPage && save.answer !== undefined}>
      <summary>{title}</summary>
      <SaveForm save={save} className={styles.form}>
        {children}
        <SubmitButton busy={save.busy} meanwhile={meanwhile} name="intent" value={intent}>
          {label}
        </SubmitButton>
        <Outcome save={save} />
      </SaveForm>
    </details>
  )
}
