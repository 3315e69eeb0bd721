import { AccountField, CurrentPassword } from '../accounts/account-field.tsx'
import { AddressForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import button from '../ui/button.module.css'
import { AllRequired } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'

type Props = {
  email: string
  emailVerified: boolean
  hasPassword: boolean
  verifies: boolean
}

export function ChangeAddress({ email, emailVerified, hasPassword, verifies }: Props) {
  const save = useSave({ intents: ['email'], check: checkFields(AddressForm), resets: true })
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
        <details className={styles.more} open={save.cameWithPage && save.answer !== undefined}>
          <summary>メールアドレスを変更する</summary>
          <SaveForm save={save} className={styles.form}>
            <AllRequired>
              <AccountField save={save} name="email" label="新しいメールアドレス" type="email" autoComplete="email" />
              <CurrentPassword save={save} />
            </AllRequired>
            <SubmitButton busy={save.busy} meanwhile="変更しています…" name="intent" value="email">
              変更する
            </SubmitButton>
            <Outcome save={save} />
          </SaveForm>
        </details>
      )}
    </section>
  )
}
