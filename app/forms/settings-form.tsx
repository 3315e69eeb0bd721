import { type ReactNode, useEffect, useState } from 'react'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Values } from './drafts.ts'
import { CHECK_FIELDS, Outcome, SaveForm } from './save-form.tsx'
import type { FieldErrors, SaveResult } from './save-result.ts'
import styles from './settings-form.module.css'
import { useDraft } from './use-draft.ts'
import { useSave } from './use-save.ts'

export type NewerSettings = { version: number; values: Values; clashes: string[] }

/** Response of a settings form. After a conflict, `values` has the input merged with the other author's changes. */
export type SettingsResult = SaveResult & { newer?: NewerSettings }

export type SettingsState = { values: Values; errors: FieldErrors | undefined; newer: NewerSettings | undefined }

type FormProps = {
  version: number
  values: Values
  draftName: string
  isPutBack: boolean
  children: (shown: SettingsState) => ReactNode
  /** Name of the section, on a page with several settings forms. Also the intent and the anchor of the form. */
  section?: string
  button?: string
  onTyped?: (isTyped: boolean) => void
  /** Whether the navigation after a save replaces the URL of the form in the browser history. */
  replaces?: boolean
}

/**
 * Form for all or some fields of a settings record. Displays other authors' saves until the first input. After that,
 * submits the version at which editing began.
 */
export function SettingsForm(props: FormProps) {
  const {
    version,
    values,
    draftName,
    isPutBack,
    children,
    section,
    button = '保存する',
    onTyped,
    replaces = false,
  } = props
  const save = useSave<SettingsResult>({ intents: [section ?? 'save'], replaces })
  const { answer, busy, errors } = save
  const [seen, setSeen] = useState({ version, values, round: 0 })
  const [hasInput, setHasInput] = useState(false)
  const [handledAnswer, setHandledAnswer] = useState<SettingsResult>()
  const showVersion = (version: number, values: Values) =>
    // Remounts the fields only if their values differ, because remounting loses the focus.
    setSeen((seen) => ({ version, values, round: isSame(values, seen.values) ? seen.round : seen.round + 1 }))
  if (answer !== handledAnswer) {
    setHandledAnswer(answer)
    if (answer?.newer) showVersion(answer.newer.version, answer.values ?? values)
    if (answer?.values) setHasInput(true)
    if (answer?.done) setHasInput(save.isTyped)
  } else if (!hasInput && version > seen.version) showVersion(version, values)
  const draft = useDraft({
    name: draftName,
    version: seen.version,
    start: values,
    save,
    discards: isPutBack,
    onRestore(draft) {
      showVersion(draft?.version ?? version, { ...values, ...draft?.values })
      setHasInput(draft !== null)
    },
  })
  useEffect(() => onTyped?.(hasInput), [hasInput])
  const outcome = (
    <Outcome save={save}>
      {errors
        ? `${CHECK_FIELDS}${NOTHING_SAVED}。`
        : answer?.newer &&
          'ほかの方が先に、同じところを変えて保存しました。「現在の内容」と見比べて、よろしければもう一度保存してください。'}
    </Outcome>
  )
  // The outcome follows the form, because the outcome contains the undo form and HTML forbids nested forms.
  return (
    <>
      <SaveForm save={save} draft={draft} {...(section && { action: `#${section}` })} onInput={() => setHasInput(true)}>
        {section && <input type="hidden" name="section" value={section} />}
        <input type="hidden" name="version" value={seen.version} />
        <div key={seen.round}>
          {children({ values: answer?.values ?? seen.values, errors: withNothingSaved(errors), newer: answer?.newer })}
        </div>
        <div className={section ? `${styles.save} ${styles.ofSection}` : styles.save}>
          <SubmitButton busy={busy}>{button}</SubmitButton>
        </div>
      </SaveForm>
      {outcome}
    </>
  )
}

const NOTHING_SAVED = '同時に送信したほかの欄も、まだ保存されていません'

// The focus moves to the first invalid field, so the error of this field repeats the notice below the button.
function withNothingSaved(errors: FieldErrors | undefined) {
  const [first, ...others] = Object.entries(errors ?? {})
  return first && Object.fromEntries([[first[0], [...first[1], `（${NOTHING_SAVED}）`]], ...others])
}

function isSame(one: Values, other: Values) {
  return JSON.stringify(one) === JSON.stringify(other)
}

type TextProps = SettingsState & {
  name: string
  label: string
  most: number
  hint?: string | undefined
  kind?: 'text' | 'tel' | 'email' | undefined
  inputMode?: 'numeric' | undefined
  autoComplete?: string | undefined
  required?: boolean
}

export function TextSetting(props: TextProps) {
  const { name, label, most, hint = '', kind, inputMode, autoComplete = 'off', required = false, ...shown } = props
  const isLong = kind === 'text'
  const common = { name, maxLength: maxCodeUnits(most), defaultValue: shown.values[name], autoComplete }
  return (
    <>
      <Field
        label={label}
        required={required}
        hint={isLong ? `${hint}${most}文字までです。` : hint}
        errors={shown.errors?.[name]}
      >
        {(wiring) =>
          isLong ? (
            <textarea {...wiring} {...common} rows={3} />
          ) : (
            <input {...wiring} {...common} type={kind ?? 'text'} inputMode={inputMode} />
          )
        }
      </Field>
      <NewerValue name={name} {...shown} />
    </>
  )
}

type TimeProps = SettingsState & { name: string; label: string; type: 'time' | 'datetime-local' }

export function TimeSetting({ name, label, type, values, errors, newer }: TimeProps) {
  return (
    <>
      <Field label={label} errors={errors?.[name]}>
        {(wiring) => <input {...wiring} type={type} name={name} defaultValue={values[name]} />}
      </Field>
      <NewerValue name={name} newer={newer} now={(now) => now[name]?.replace('T', ' ')} />
    </>
  )
}

type NewerProps = Pick<SettingsState, 'newer'> & { name: string; now?: (values: Values) => ReactNode }

export function NewerValue({ name, newer, now = (values) => values[name] }: NewerProps) {
  if (!newer?.clashes.includes(name)) return null
  return (
    <p className={styles.newer}>
      <b>現在の内容</b>
      <span>{now(newer.values) || '（空欄）'}</span>
    </p>
  )
}
