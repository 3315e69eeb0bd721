import { Outcome, SaveForm } from '../forms/save-form.tsx'
import settings from '../forms/settings-form.module.css'
import { useSave } from '../forms/use-save.ts'
import { type MailKind, mailKinds } from '../members/mail-kinds.ts'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'

export function MailKindsSection({ mutedKinds }: { mutedKinds: MailKind[] }) {
  const save = useSave({ intents: ['mails'] })
  return (
    <section className={page.section}>
      <h2>届くメール</h2>
      <p>サークルのメールのうち、受け取る種類を選べます。登録やパスワードなどの大切なメールは、いつも届きます。</p>
      <SaveForm save={save}>
        {/* An unsubscription on another page changes the initial values. */}
        <div key={mutedKinds.join()}>
          {(Object.keys(mailKinds) as MailKind[]).map((kind) => (
            <div key={kind} className={settings.switch}>
              <label>
                <input
                  type="checkbox"
                  name="kind"
                  value={kind}
                  defaultChecked={!mutedKinds.includes(kind)}
                  aria-describedby={`mails-${kind}`}
                />
                {mailKinds[kind].label}
              </label>
              <p id={`mails-${kind}`}>{mailKinds[kind].hint}</p>
            </div>
          ))}
        </div>
        <SubmitButton name="intent" value="mails" busy={save.busy}>
          保存する
        </SubmitButton>
      </SaveForm>
      <Outcome save={save} />
    </section>
  )
}
