import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Form, Link, useFetcher } from 'react-router'
import button from '../ui/button.module.css'
import { Alert } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { fieldsOf, type MemberField, memberFields, type Step, sentences, warningFor } from './member.ts'
import styles from './member-form.module.css'
import { type Faults, faultsOfStep } from './member-schema.ts'

/** What the action says of a step that was sent. */
export type Answer = {
  step?: Step
  faults?: Faults
  values?: Partial<Record<MemberField, string>>
  offline?: boolean
  refused?: boolean
  tooMuch?: boolean
  /** How long to wait, in a sentence. */
  tooOften?: string
}
type Props = {
  step: Step
  values: Record<MemberField, string>
  /** The version that an edit began with; null where nothing is there yet. */
  base: number | null
  /** For administrators. */
  flags: { administrator: boolean; admin: boolean } | null
  mayRunTheSite: boolean
  kept: { birthday: string | null; realname: string | null } | null
  /** Where everything is filled in already: the confirm screen. */
  finished: string | null
  answer: Answer | undefined
}

/** The fields of one step; checked as they are sent, kept on the server whenever one is left. */
export function StepForm({ step, values, base, flags, mayRunTheSite, kept, finished, answer }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const keeper = useFetcher()
  const own = answer && (answer.step === undefined || answer.step === step) ? answer : undefined
  const [faults, setFaults] = useState<Faults | null>(own?.faults ?? null)
  const [alert, setAlert] = useState<string | null>(null)
  const [answered, setAnswered] = useState(own)
  if (own !== answered) {
    setAnswered(own)
    setFaults(own?.faults ?? null)
  }
  useEffect(() => {
    if (!own?.faults) return
    setAlert(alertOf(own.faults))
    focusFirst(form.current, own.faults)
  }, [own])

  const check = (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent
    if ((submitter as HTMLButtonElement | null)?.value === 'back') return
    const found = faultsOfStep(step, typedValues(event.currentTarget))
    setFaults(found)
    if (!found) return
    event.preventDefault()
    setAlert(alertOf(found))
    focusFirst(event.currentTarget, found)
  }
  const recheck = (event: FormEvent<HTMLFormElement>) => {
    if (faults) setFaults(faultsOfStep(step, typedValues(event.currentTarget)))
  }
  const saved = useRef('')
  const keep = () => {
    if (!form.current) return
    const typed = new FormData(form.current)
    const now = JSON.stringify([...typed])
    if (saved.current === now) return
    saved.current = now
    typed.set('intent', 'keep')
    keeper.submit(typed, { method: 'post', defaultShouldRevalidate: false })
  }

  const blank = Object.values(faults ?? {}).includes(sentences.blank)
  const offline = answer?.offline || (keeper.data as Answer | undefined)?.offline
  return (
    <Form method="post" ref={form} noValidate onSubmit={check} onInput={recheck} onBlur={keep}>
      {alert && <Alert sentence={alert} onClose={() => setAlert(null)} />}
      {finished && step === 1 && !faults && (
        <Notice>
          <p>
            入力の続きがあります。<Link to={finished}>登録内容の確認へ進む</Link>
          </p>
        </Notice>
      )}
      {offline && (
        <Notice kind="trouble">
          <p>
            インターネットにつながっていないようです。入力した内容はこの画面に残っています。つながってからもう一度お試しください。
          </p>
        </Notice>
      )}
      {answer?.refused && (
        <Notice kind="trouble">
          <p>この登録内容は、ご本人と管理者だけが変更できます。ログインしてください。</p>
        </Notice>
      )}
      {answer?.tooMuch && (
        <Notice kind="trouble">
          <p>入力が長すぎて保存できませんでした。短くしてお試しください。</p>
        </Notice>
      )}
      {answer?.tooOften && (
        <Notice kind="trouble">
          <p>{answer.tooOften}。</p>
        </Notice>
      )}
      {blank && (
        <Notice kind="trouble">
          <p>{sentences.blank}</p>
        </Notice>
      )}
      {/* Enter in a field presses the first button of a form: this one, and not the way back. */}
      <button type="submit" name="intent" value="next" className="visually-hidden" tabIndex={-1} aria-hidden="true" />
      <input type="hidden" name="step" value={step} />
      {base !== null && <input type="hidden" name="base" value={base} />}
      {fieldsOf(step).map((name) => (
        <MemberInput key={name} name={name} value={own?.values?.[name] ?? values[name]} fault={faults?.[name]} />
      ))}
      {step === 1 && flags && (
        <fieldset className={styles.flags}>
          <legend>管理者だけに見える項目</legend>
          <input type="hidden" name="flags" value="1" />
          <label>
            <input type="checkbox" name="admin" defaultChecked={flags.admin} /> 参加を承認する
          </label>
          {mayRunTheSite && (
            <label>
              <input type="checkbox" name="administrator" defaultChecked={flags.administrator} /> 管理者にする
            </label>
          )}
        </fieldset>
      )}
      {step === 1 && kept && (kept.birthday || kept.realname) && (
        <dl className={styles.kept}>
          {kept.realname && (
            <div>
              <dt>本名（非公開）</dt>
              <dd>{kept.realname}</dd>
            </div>
          )}
          {kept.birthday && (
            <div>
              <dt>生年月日（非公開）</dt>
              <dd>{kept.birthday}</dd>
            </div>
          )}
        </dl>
      )}
      {step === 1 && (
        <p className={styles.privacy}>
          メールアドレス、ご住所、電話番号は、ご本人と管理者だけが見られます。
          <Link to="/privacy">個人情報の取り扱い</Link>
        </p>
      )}
      <div className={styles.actions}>
        {step > 1 ? (
          <button type="submit" name="intent" value="back" formNoValidate className={button.button}>
            戻る
          </button>
        ) : (
          <span />
        )}
        <SubmitButton name="intent" value="next">
          {step === 5 ? '登録内容を確認する' : '次へ'}
        </SubmitButton>
      </div>
    </Form>
  )
}

function typedValues(form: HTMLFormElement) {
  return Object.fromEntries(new FormData(form))
}

function alertOf({ accountname }: Faults) {
  return accountname && accountname !== sentences.blank ? accountname : null
}

function focusFirst(form: HTMLFormElement | null, faults: Faults) {
  const first = Object.keys(faults)[0]
  form?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus()
}

const typing: Partial<Record<MemberField, { type?: string; autoComplete?: string; hint?: string }>> = {
  username: { autoComplete: 'name' },
  accountname: { autoComplete: 'nickname', hint: 'サークルでの呼び名です。ほかの方と同じ名前は使えません。' },
  email: { type: 'email', autoComplete: 'email' },
  address: { autoComplete: 'street-address' },
  telNum: { type: 'tel', autoComplete: 'tel' },
}

function MemberInput({ name, value, fault }: { name: MemberField; value: string; fault: string | undefined }) {
  const [warning, setWarning] = useState(() => warningFor(name, value))
  const { label, kind } = memberFields[name]
  const { hint, ...attributes } = typing[name] ?? {}
  const errors = fault === undefined ? undefined : [fault === sentences.blank ? '未入力です' : fault]
  const common = {
    name,
    defaultValue: value,
    required: true,
    onInput: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      setWarning(warningFor(name, event.currentTarget.value)),
  }
  return (
    <Field label={label} hint={hint} errors={errors} warning={fault ? null : warning}>
      {(wiring) =>
        kind === 'text' ? (
          <textarea rows={4} {...common} {...wiring} />
        ) : (
          <input {...attributes} {...common} {...wiring} />
        )
      }
    </Field>
  )
}
