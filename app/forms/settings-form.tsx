import { type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import type { Purpose } from '../media/image.ts'
import { ImageField } from '../media/image-field.tsx'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field, namedOptions } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Values } from './drafts.ts'
import { CHECK_FIELDS, Outcome, SaveForm } from './save-form.tsx'
import type { FieldErrors, SaveResult } from './save-result.ts'
import styles from './settings-form.module.css'
import { isShownIn, useDraft } from './use-draft.ts'
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
  const { version, values, draftName, isPutBack, children } = props
  const { section, button = '保存する', onTyped, replaces = false } = props
  const save = useSave<SettingsResult>({ intents: [section ?? 'save'], replaces })
  const { answer, busy, errors } = save
  const [seen, setSeen] = useState({ version, values, round: 0 })
  const [hasInput, setHasInput] = useState(false)
  const [handledAnswer, setHandledAnswer] = useState<SettingsResult>()
  const form = useRef<HTMLFormElement>(null)
  const showVersion = (version: number, values: Values, isShown = false) =>
    setSeen(({ round }) => ({ version, values, round: isShown ? round : round + 1 }))
  if (answer !== handledAnswer) {
    setHandledAnswer(answer)
    if (answer?.newer) showVersion(answer.newer.version, answer.values ?? values)
    if (answer?.values) setHasInput(true)
    if (answer?.done) setHasInput(save.isTyped)
  }
  // A layout effect, because an input between the render and a later effect would be lost.
  useLayoutEffect(() => {
    // A remount loses the focus. After one's own save, the fields already show the values.
    if (!hasInput && version > seen.version && form.current)
      showVersion(version, values, isShownIn(form.current, values))
  }, [hasInput, version, seen.version])
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
  useLayoutEffect(() => onTyped?.(hasInput), [hasInput])
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
      <SaveForm
        save={save}
        draft={draft}
        ref={form}
        {...(section && { action: `#${section}` })}
        onInput={() => setHasInput(true)}
      >
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

type SettingProps = SettingsState & { name: string; label: string; hint?: string | undefined }

type TextProps = SettingProps &
  Pick<
    ComponentProps<'input'>,
    'inputMode' | 'autoComplete' | 'autoCapitalize' | 'spellCheck' | 'required' | 'min' | 'max' | 'placeholder'
  > & {
    /** Maximum length in characters. */
    most?: number
    kind?: 'text' | 'tel' | 'email' | 'url' | 'number' | 'time' | 'datetime-local' | undefined
  }

export function TextSetting(props: TextProps) {
  const { name, label, most, hint = '', kind, values, errors, newer, autoComplete = 'off', ...attributes } = props
  const isLong = kind === 'text'
  const common = { name, maxLength: most && maxCodeUnits(most), defaultValue: values[name], autoComplete }
  return (
    <>
      <Field
        label={label}
        required={attributes.required ?? false}
        hint={isLong && most ? `${hint}${most}文字までです。` : hint}
        errors={errors?.[name]}
      >
        {(wiring) =>
          isLong ? (
            <textarea {...wiring} {...common} rows={3} />
          ) : (
            <input {...attributes} {...wiring} {...common} type={kind ?? 'text'} />
          )
        }
      </Field>
      <NewerValue
        name={name}
        newer={newer}
        now={(now) => (kind === 'datetime-local' ? now[name]?.replace('T', ' ') : now[name])}
      />
    </>
  )
}

export function ImageSetting(props: SettingProps & { purpose: Purpose }) {
  const { name, label, purpose, values, errors, newer } = props
  return (
    <>
      <ImageField name={name} label={label} url={values[name] ?? ''} purpose={purpose} errors={errors?.[name]} />
      <NewerValue
        name={name}
        newer={newer}
        now={(now) => now[name] && <ResponsiveImage url={now[name]} alt="ほかの方の写真" sizes="320px" />}
      />
    </>
  )
}

type SelectProps = SettingProps & { options: Record<string, string>; onSelect?: (value: string) => void }

export function SelectSetting({ name, label, options, onSelect, values, errors, newer }: SelectProps) {
  return (
    <>
      <Field label={label} errors={errors?.[name]}>
        {(wiring) => (
          <select
            {...wiring}
            name={name}
            defaultValue={values[name]}
            onChange={({ target }) => onSelect?.(target.value)}
          >
            {namedOptions(Object.entries(options))}
          </select>
        )}
      </Field>
      <NewerValue name={name} newer={newer} now={(now) => options[now[name] ?? '']} />
    </>
  )
}

/** A checkbox. `words` name the ticked and the cleared state. */
export function CheckboxSetting({ name, label, hint, words, ...state }: SettingProps & { words: [string, string] }) {
  return (
    <div className={styles.switch}>
      <label>
        <input
          type="checkbox"
          name={name}
          defaultChecked={state.values[name] === 'on'}
          aria-describedby={hint && `${name}-hint`}
        />
        {label}
      </label>
      {hint && <p id={`${name}-hint`}>{hint}</p>}
      <NewerValue name={name} newer={state.newer} now={(now) => words[now[name] === 'on' ? 0 : 1]} />
    </div>
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
