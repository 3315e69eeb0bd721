import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { AccountField, CurrentPassword, NewPasswordField } from '../accounts/account-field.tsx'
import { DeleteAccountForm, EmailChangeForm, passwordForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { clearLocalFlags, notifyOtherTabs } from '../accounts/local-flags.ts'
import type { PasswordPolicy } from '../accounts/password.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type Saving, useSave } from '../forms/use-save.ts'
import button from '../ui/button.module.css'
import { AllRequired, LabelText } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'

type AddressProps = { email: string; emailVerified: boolean; hasPassword: boolean; verifies: boolean }

export function ChangeAddress({ email, emailVerified, hasPassword, verifies }: AddressProps) {
  const save = useSave({ intents: ['email'], check: checkFields(EmailChangeForm), resets: true })
  const verifying = useSave({ intents: ['verify'] })
  return (
    <section className={page.section}>
      <h2>メールアドレス</h2>
      <p>{`${email}（${emailVerified ? '確認済み' : '未確認'}）`}</p>
      {!emailVerified && verifies && (
        <SaveForm save={verifying}>
          <p className={page.actions}>
            <button type="submit" name="intent" value="verify" className={button.button} aria-disabled={verifying.busy}>
              確認のメールを送る
            </button>
          </p>
          <Outcome save={verifying} />
        </SaveForm>
      )}
      {hasPassword && (
        <FoldedForm save={save} title="メールアドレスを変更する" intent="email" {...changing}>
          <AllRequired>
            <AccountField save={save} name="email" label="新しいメールアドレス" type="email" autoComplete="email" />
            <CurrentPassword save={save} />
          </AllRequired>
        </FoldedForm>
      )}
    </section>
  )
}

export function ChangePassword({ hasPassword, policy }: { hasPassword: boolean; policy: PasswordPolicy }) {
  const save = useSave({ intents: ['password'], check: checkFields(passwordForm(policy)), resets: true })
  return (
    <section className={page.section}>
      <h2>パスワード</h2>
      {hasPassword ? (
        <FoldedForm save={save} title="パスワードを変更する" intent="password" {...changing}>
          <AllRequired>
            <CurrentPassword save={save} />
            <NewPasswordField save={save} label="新しいパスワード" policy={policy} />
          </AllRequired>
        </FoldedForm>
      ) : (
        <p>
          Googleでログインされているため、パスワードはありません。必要なときは
          <Link to="/resetpassword">パスワードの再設定</Link>から決められます。
        </p>
      )}
    </section>
  )
}

type Device = { id: string; name: string; ipAddress: string | null; usedAt: string; here: boolean }

export function Devices({ devices }: { devices: Device[] }) {
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
              <SaveForm save={save}>
                <input type="hidden" name="device" value={id} />
                <button type="submit" name="intent" value="device" className={button.button} aria-disabled={save.busy}>
                  <span className="visually-hidden">{`${name}（${usedAt}）を`}</span>
                  ログアウトさせる
                </button>
              </SaveForm>
            )}
          </li>
        ))}
      </ul>
      {devices.length > 1 && (
        <SaveForm save={save}>
          <button type="submit" name="intent" value="other devices" className={button.button} aria-disabled={save.busy}>
            ほかの端末をすべてログアウトさせる
          </button>
        </SaveForm>
      )}
      <Outcome save={save} />
    </section>
  )
}

export function Leave({ hasPassword }: { hasPassword: boolean }) {
  const save = useSave({
    intents: ['leave'],
    check: checkFields(DeleteAccountForm),
    // A full page load clears the data of the deleted account from memory.
    onDone: () => {
      clearLocalFlags()
      notifyOtherTabs()
      location.assign('/home')
    },
  })
  const unread = save.errors?.agreed
  return (
    <section className={page.section}>
      <h2>退会</h2>
      <FoldedForm save={save} title="退会する" intent="leave" label="退会する" meanwhile="退会の手続きをしています…">
        <p>アカウント、登録された内容、ログインの記録がその場で消えます。元には戻せません。</p>
        <label className={styles.agree}>
          <input
            type="checkbox"
            name="agreed"
            required
            aria-invalid={unread ? true : undefined}
            aria-describedby={unread && 'leave-agreed-error'}
          />
          <span>
            <LabelText label="内容を確認しました" required />
          </span>
        </label>
        {unread && <p id="leave-agreed-error">{unread}</p>}
        {hasPassword && <CurrentPassword save={save} />}
      </FoldedForm>
    </section>
  )
}

const changing = { label: '変更する', meanwhile: '変更しています…' }

type FoldedProps = {
  save: Saving
  title: string
  intent: string
  /** Text of the submit button. */
  label: string
  meanwhile: string
  children: ReactNode
}

/** Form in a `details` element. Open if the server rendered the page with a response to this form. */
function FoldedForm({ save, title, intent, label, meanwhile, children }: FoldedProps) {
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
