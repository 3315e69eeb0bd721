import { type ReactNode, useEffect, useState } from 'react'
import { mostUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './facts-form.module.css'
import type { FieldErrors, SaveAnswer } from './save-answer.ts'
import { CHECK_FIELDS, Outcome, SaveForm } from './save-form.tsx'
import { useDraft } from './use-draft.ts'
import { useSave } from './use-save.ts'

type Values = Record<string, string>

/** What somebody else saved meanwhile, and the fields that both changed. */
export type Newer = { version: number; values: Values; clashes: string[] }

/** What a page of facts answers to its form; of a clash `values` has what was sent, and what others changed beside it. */
export type FactsAnswer = SaveAnswer & { newer?: Newer }

/** What each field of such a form is made with. */
export type FactsShown = { values: Values; errors: FieldErrors | undefined; newer: Newer | undefined }

type FormProps = {
  version: number
  values: Values
  /** The name of its draft. */
  draftName: string
  /** Whether the state of the record was put back: a draft of it goes. */
  isPutBack: boolean
  /** Draws the fields. */
  children: (shown: FactsShown) => ReactNode
  encType?: 'multipart/form-data'
  /** Of a page that has several such forms: the section that this one is of, as its action and the anchor call it. */
  section?: string
  /** What its button says. */
  button?: string
  /** Hears whether something stands in it that is not saved. */
  onTyped?: (isTyped: boolean) => void
}

/**
 * The form of a record that is one object of facts, or of a part of them. As long as nothing is typed into it, it follows
 * what others save; from then on it names the version that its editor began with.
 */
export function FactsForm(props: FormProps) {
  const { version, values, draftName, isPutBack, children, section, button = '保存する', onTyped, ...given } = props
  const save = useSave<FactsAnswer>({ intents: [section ?? 'save'] })
  const { answer, busy, errors, cameWithPage } = save
  const [seen, setSeen] = useState({ version, values, round: 0 })
  const [typed, setTyped] = useState(false)
  const [answered, setAnswered] = useState<FactsAnswer>()
  const see = (version: number, values: Values) =>
    // Where others have saved what it does not have, its fields stay as they are, and so does who is in one of them.
    setSeen((seen) => ({ version, values, round: same(values, seen.values) ? seen.round : seen.round + 1 }))
  if (answer !== answered) {
    setAnswered(answer)
    if (answer?.newer) see(answer.newer.version, answer.values ?? values)
    if (answer?.values) setTyped(true)
    if (answer?.done) setTyped(save.isTyped)
  } else if (!typed && version > seen.version) see(version, values)
  const draft = useDraft({
    name: draftName,
    version: seen.version,
    start: values,
    save,
    discards: isPutBack,
    onRestore(draft) {
      see(draft?.version ?? version, { ...values, ...draft?.values })
      setTyped(draft !== null)
    },
  })
  useEffect(() => onTyped?.(typed), [typed])
  const outcome = (
    <Outcome save={save}>
      {errors
        ? `${CHECK_FIELDS}${NOTHING_SAVED}。`
        : answer?.newer &&
          'ほかの方が先に、同じところを変えて保存しました。「いまの内容」と見比べて、よろしければもう一度保存してください。'}
    </Outcome>
  )
  // Without scripts the address leads to the beginning of the section, which is where it is told then.
  const isAbove = section !== undefined && cameWithPage
  // Its way back is a form of its own, which no browser has in another.
  return (
    <>
      {isAbove && outcome}
      <SaveForm
        save={save}
        draft={draft}
        {...(section && { action: `#${section}` })}
        onInput={() => setTyped(true)}
        {...given}
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
      {!isAbove && outcome}
    </>
  )
}

const NOTHING_SAVED = 'いっしょに送ったほかの欄も、まだ保存されていません'

// The focus goes to the first wrong field, away from the notice below the button.
function withNothingSaved(errors: FieldErrors | undefined) {
  const [first, ...others] = Object.entries(errors ?? {})
  return first && Object.fromEntries([[first[0], [...first[1], `（${NOTHING_SAVED}）`]], ...others])
}

function same(one: Values, other: Values) {
  return JSON.stringify(one) === JSON.stringify(other)
}

type TextProps = FactsShown & {
  name: string
  label: string
  /** How many characters it may have. */
  most: number
  hint?: string | undefined
  kind?: 'text' | 'tel' | 'email' | undefined
  inputMode?: 'numeric' | undefined
  autoComplete?: string | undefined
  required?: boolean
}

/** A fact that is a text: of kind `text` one of several lines. */
export function TextFact(props: TextProps) {
  const { name, label, most, hint = '', kind, inputMode, autoComplete = 'off', required = false, ...shown } = props
  const isLong = kind === 'text'
  const common = { name, maxLength: mostUnits(most), defaultValue: shown.values[name], autoComplete }
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
      <NewerFact name={name} {...shown} />
    </>
  )
}

type NewerProps = Pick<FactsShown, 'newer'> & { name: string; now?: (values: Values) => ReactNode }

/** What somebody else saved of a fact that the editor changed too. */
export function NewerFact({ name, newer, now = (values) => values[name] }: NewerProps) {
  if (!newer?.clashes.includes(name)) return null
  return (
    <p className={styles.newer}>
      <b>いまの内容</b>
      <span>{now(newer.values) || '（空）'}</span>
    </p>
  )
}
