import { CurrentPassword } from '../accounts/account-field.tsx'
import { LeaveForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { forgetLocally, tellOtherTabs } from '../accounts/local-flags.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { LabelText } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'

export function Leave({ hasPassword }: { hasPassword: boolean }) {
  const save = useSave({
    intents: ['leave'],
    check: checkFields(LeaveForm),
    // A full page load, so that no data of the member stays in memory.
    onDone: () => {
      forgetLocally()
      tellOtherTabs()
      location.assign('/home')
    },
  })
  const unread = save.errors?.agreed
  return (
    <section className={page.section}>
      <h2>退会</h2>
      <details className={styles.more} open={save.cameWithPage && save.answer !== undefined}>
        <summary>退会する</summary>
        <SaveForm save={save} className={styles.form}>
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
          <SubmitButton busy={save.busy} meanwhile="退会の手続きをしています…" name="intent" value="leave">
            退会する
          </SubmitButton>
          <Outcome save={save} />
        </SaveForm>
      </details>
    </section>
  )
}
