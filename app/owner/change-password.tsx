import { Link } from 'react-router'
import { CurrentPassword, NewPasswordField } from '../accounts/account-field.tsx'
import { passwordForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import type { PasswordPolicy } from '../accounts/password.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { AllRequired } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'

type Props = { hasPassword: boolean; policy: PasswordPolicy }

export function ChangePassword({ hasPassword, policy }: Props) {
  const save = useSave({ intents: ['password'], check: checkFields(passwordForm(policy)), resets: true })
  return (
    <section className={page.section}>
      <h2>パスワード</h2>
      {hasPassword ? (
        <details className={styles.more} open={save.cameWithPage && save.answer !== undefined}>
          <summary>パスワードを変更する</summary>
          <SaveForm save={save} className={styles.form}>
            <AllRequired>
              <CurrentPassword save={save} />
              <NewPasswordField save={save} label="新しいパスワード" policy={policy} />
            </AllRequired>
            <SubmitButton busy={save.busy} meanwhile="変更しています…" name="intent" value="password">
              変更する
            </SubmitButton>
            <Outcome save={save} />
          </SaveForm>
        </details>
      ) : (
        <p>
          Googleでログインされているため、パスワードはありません。必要なときは
          <Link to="/resetpassword">パスワードの再設定</Link>から決められます。
        </p>
      )}
    </section>
  )
}
