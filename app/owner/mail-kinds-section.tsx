import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { CheckboxSetting } from '../forms/settings-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { mailKinds } from '../members/mail-kinds.ts'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'

/** Form of the kinds of e-mail. The value of a received kind is `on`. */
export function MailKindsSection({ values }: { values: Record<string, string> }) {
  const save = useSave({ intents: ['mails'] })
  return (
    <section className={page.section}>
      <h2>届くメール</h2>
      <p>サークルのメールのうち、受け取る種類を選べます。登録やパスワードなどの大切なメールは、いつも届きます。</p>
      <SaveForm save={save}>
        <KindChoices kinds={mailKinds} values={values} />
        <SubmitButton name="intent" value="mails" busy={save.busy}>
          保存する
        </SubmitButton>
      </SaveForm>
      <Outcome save={save} />
    </section>
  )
}

type ChoicesProps = { kinds: Record<string, { label: string; hint: string }>; values: Record<string, string> }

/** Checkboxes of kinds. A checkbox follows its value, which another tab may have saved. */
export function KindChoices({ kinds, values }: ChoicesProps) {
  const state = { values, errors: undefined, newer: undefined, words: ['受け取る', '停止する'] as [string, string] }
  return Object.entries(kinds).map(([name, texts]) => (
    <CheckboxSetting key={`${name} ${values[name]}`} name={name} {...texts} {...state} />
  ))
}
