import { type ReactNode, useState } from 'react'
import { mostUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './facts-form.module.css'
import type { FieldErrors, SaveAnswer } from './save-answer.ts'
import { Outcome, SaveForm } from './save-form.tsx'
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
  /** Draws the fields. */
  children: (shown: FactsShown) => ReactNode
  encType?: 'multipart/form-data'
}

/**
 * The form of a record that is one object of facts. As long as nothing is typed into it, it follows what others save; from
 * then on it names the version that its editor began with.
 */
export function FactsForm({ version, values, children, encType }: FormProps) {
  const save = useSave<FactsAnswer>({ intents: ['save'] })
  const { answer, busy, errors } = save
  const [seen, setSeen] = useState({ version, values })
  const [typed, setTyped] = useState(false)
  const [answered, setAnswered] = useState<FactsAnswer>()
  if (answer !== answered) {
    setAnswered(answer)
    if (answer?.newer) setSeen({ version: answer.newer.version, values: answer.values ?? values })
    if (answer?.values) setTyped(true)
    if (answer?.done) setTyped(false)
  } else if (!typed && version > seen.version) setSeen({ version, values })
  return (
    <SaveForm save={save} onInput={() => setTyped(true)} {...(encType && { encType })}>
      <input type="hidden" name="version" value={seen.version} />
      <div key={seen.version}>{children({ values: answer?.values ?? seen.values, errors, newer: answer?.newer })}</div>
      <div className={styles.save}>
        <Outcome save={save}>
          {answer?.newer &&
            'ほかの方が先に、同じところを変えて保存しました。「いまの内容」と見比べて、よろしければもう一度保存してください。'}
        </Outcome>
        <SubmitButton busy={busy}>保存する</SubmitButton>
      </div>
    </SaveForm>
  )
}

type TextProps = FactsShown & {
  name: string
  label: string
  /** How many characters it may have. */
  most: number
  hint?: string | undefined
  kind?: 'text' | 'tel' | 'email' | undefined
  required?: boolean
}

/** A fact that is a text: of kind `text` one of several lines. */
export function TextFact({ name, label, most, hint, kind, required = false, ...shown }: TextProps) {
  const common = { name, maxLength: mostUnits(most), defaultValue: shown.values[name], autoComplete: 'off' }
  return (
    <>
      <Field label={label} hint={hint} errors={shown.errors?.[name]}>
        {(wiring) =>
          kind === 'text' ? (
            <textarea {...wiring} {...common} rows={3} />
          ) : (
            <input {...wiring} {...common} type={kind ?? 'text'} required={required} />
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
      {now(newer.values) || '（空）'}
    </p>
  )
}
