import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { Link, useFetcher } from 'react-router'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { FieldErrors, SaveResult } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/dialog.tsx'
import { AllRequired, Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { fieldsOf, findWarning, type MemberField, memberFields, type Step, sentences } from './member.ts'
import styles from './member-form.module.css'
import { validateStep } from './member-schema.ts'

type Props = {
  step: Step
  values: Record<MemberField, string>
  /** The version at the start of the edit, or null for a new member. */
  base: number | null
  /** Null unless the visitor is an administrator. */
  flags: { administrator: boolean; admin: boolean } | null
  mayRunTheSite: boolean
  kept: { birthday: string | null; realname: string | null } | null
  /** URL of the confirm screen if all steps are complete, otherwise null. */
  finished: string | null
}

/**
 * The fields of one step. A submission validates the fields. A blur or a typing pause saves the input to the server.
 */
export function StepForm({ step, values, base, flags, mayRunTheSite, kept, finished }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const save = useSave({
    intents: [`step ${step}`],
    check: (sent) => validateStep(step, Object.fromEntries(sent)),
  })
  const { errors, answer, busy, round } = save
  const [alert, setAlert] = useState<string | null>(null)
  useEffect(() => setAlert(findAlert(errors)), [round])
  const { saveInput, saveInputSoon, draftError } = useDraftSaving(form)
  const hasBlankField = Object.values(errors ?? {}).some((sentence) => sentence.includes(sentences.blank))
  const saveError = (errors ?? answer?.trouble) ? undefined : draftError
  return (
    <SaveForm
      save={save}
      ref={form}
      hiddenFields={base === null ? { step } : { step, base }}
      onBlur={({ relatedTarget }) => saveInput(!isSubmitter(relatedTarget))}
      onInput={saveInputSoon}
    >
      {alert && <Alert sentence={alert} onClose={() => setAlert(null)} />}
      {finished && step === 1 && !errors && (
        <Notice>
          <p>
            入力の続きがあります。<Link to={finished}>登録内容の確認へ進む</Link>
          </p>
        </Notice>
      )}
      {/* Enter presses the first submit button of a form. Without this button, Enter would press the back button. */}
      <button type="submit" name="intent" value="next" className="visually-hidden" tabIndex={-1} aria-hidden="true" />
      <AllRequired>
        {fieldsOf(step).map((name) => (
          <MemberInput key={name} name={name} value={answer?.values?.[name] ?? values[name]} errors={errors?.[name]} />
        ))}
      </AllRequired>
      {step === 1 && (
        <>
          {flags && <Flags {...flags} mayRunTheSite={mayRunTheSite} />}
          {kept && <ImportedFields {...kept} />}
          <p className={styles.privacy}>
            メールアドレス、ご住所、電話番号は、ご本人と管理者だけが閲覧できます。
            <Link to="/privacy">プライバシーについて</Link>
          </p>
        </>
      )}
      <div className={styles.actions}>
        {step > 1 ? (
          <Button type="submit" name="intent" value="back" formNoValidate>
            戻る
          </Button>
        ) : (
          <span />
        )}
        <SubmitButton busy={busy} name="intent" value="next">
          {step === 5 ? '登録内容を確認する' : '次へ'}
        </SubmitButton>
      </div>
      <Outcome save={save}>{hasBlankField ? sentences.blank : saveError}</Outcome>
    </SaveForm>
  )
}

// If the focus moves to a submit button, the response of the form will report the failure.
function isSubmitter(element: EventTarget | null) {
  return element instanceof HTMLButtonElement && element.type === 'submit'
}

// A typing pause also saves the input, because the browser may discard the tab before the field loses focus.
const TYPING_PAUSE_MS = 1000

/**
 * Saves changed input to the server. Retries a failed save at the next blur or typing pause. `draftError` is the error
 * to show.
 */
function useDraftSaving(form: RefObject<HTMLFormElement | null>) {
  const fetcher = useFetcher<SaveResult>()
  const lastSaved = useRef('')
  const [showsDraftError, setShowsDraftError] = useState(false)
  const trouble = fetcher.data?.trouble
  useEffect(() => {
    if (trouble) lastSaved.current = ''
  }, [fetcher.data])
  const saveInput = (showsError: boolean) => {
    if (!form.current) return
    const formData = new FormData(form.current)
    const serialized = JSON.stringify([...formData])
    if (lastSaved.current === serialized) return
    lastSaved.current = serialized
    setShowsDraftError(showsError)
    formData.set('intent', 'keep')
    fetcher.submit(formData, { method: 'post', defaultShouldRevalidate: false })
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const saveInputSoon = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => saveInput(false), TYPING_PAUSE_MS)
  }
  return { saveInput, saveInputSoon, draftError: showsDraftError ? trouble : undefined }
}

type FlagsProps = NonNullable<Props['flags']> & Pick<Props, 'mayRunTheSite'>

function Flags({ administrator, admin, mayRunTheSite }: FlagsProps) {
  return (
    <fieldset className={styles.flags}>
      <legend>管理者だけに見える項目</legend>
      <input type="hidden" name="flags" value="1" />
      <label>
        <input type="checkbox" name="admin" defaultChecked={admin} /> 参加を承認する
      </label>
      {mayRunTheSite && (
        <label>
          <input type="checkbox" name="administrator" defaultChecked={administrator} /> 管理者にする
        </label>
      )}
    </fieldset>
  )
}

function ImportedFields({ birthday, realname }: NonNullable<Props['kept']>) {
  const rows = [
    ['本名（非公開）', realname],
    ['生年月日（非公開）', birthday],
  ].filter(([, text]) => text)
  if (rows.length === 0) return null
  return (
    <dl className={styles.kept}>
      {rows.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

function findAlert(errors: FieldErrors | undefined) {
  const [sentence] = errors?.accountname ?? []
  return sentence && sentence !== sentences.blank ? sentence : null
}

const inputAttributes: Partial<Record<MemberField, { type?: string; autoComplete?: string; hint?: string }>> = {
  username: { autoComplete: 'name' },
  accountname: { autoComplete: 'nickname', hint: 'サークルでの呼び名です。ほかの方と同じ名前は使えません。' },
  email: { type: 'email', autoComplete: 'email' },
  address: { autoComplete: 'address-line1' },
  telNum: { type: 'tel', autoComplete: 'tel' },
}

type InputProps = { name: MemberField; value: string; errors: string[] | undefined }

function MemberInput({ name, value, errors }: InputProps) {
  const [warning, setWarning] = useState(() => findWarning(name, value))
  const { label, kind } = memberFields[name]
  const { hint, ...attributes } = inputAttributes[name] ?? {}
  const messages = errors?.map((sentence) => (sentence === sentences.blank ? '未入力です' : sentence))
  const commonProps = {
    name,
    defaultValue: value,
    onInput: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      setWarning(findWarning(name, event.currentTarget.value)),
  }
  return (
    <Field label={label} required hint={hint} errors={messages} warning={messages ? null : warning}>
      {(wiring) =>
        kind === 'text' ? (
          <textarea rows={4} {...commonProps} {...wiring} />
        ) : (
          <input {...attributes} {...commonProps} {...wiring} />
        )
      }
    </Field>
  )
}
