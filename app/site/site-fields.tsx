import { type ComponentProps, useState } from 'react'
import type { FieldErrors, SaveAnswer } from '../saving/save-answer.ts'
import { Outcome, SaveForm } from '../saving/save-form.tsx'
import { useSave } from '../saving/use-save.ts'
import { mostUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { type PaletteName, paletteNames, palettes } from '../ui/palettes.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './site-fields.module.css'
import { MOST_LINKS, readers, type SiteText, siteTexts, switches } from './site-words.ts'

type Values = Record<string, string>
type Newer = { version: number; values: Values; clashes: string[] }

/** What the page of the shop's facts answers to its form. */
export type SiteAnswer = SaveAnswer & {
  /** What somebody else saved meanwhile, and the fields that both changed; `values` has what they changed of others. */
  newer?: Newer
}

type Props = {
  version: number
  values: Values
  /** Who reads what is written to the shop, as it is saved; null where no mail leaves this site. */
  readers: string[] | null
}

/**
 * The form of the shop's facts. As long as nothing is typed into it, it follows what others save; from then on it names
 * the version that its editor began with.
 */
export function SiteFields({ version, values, readers }: Props) {
  const save = useSave<SiteAnswer>({ intents: ['save'] })
  const { answer, busy, errors } = save
  const [seen, setSeen] = useState({ version, values })
  const [typed, setTyped] = useState(false)
  const [answered, setAnswered] = useState<SiteAnswer>()
  if (answer !== answered) {
    setAnswered(answer)
    if (answer?.newer) setSeen({ version: answer.newer.version, values: answer.values ?? values })
    if (answer?.values) setTyped(true)
    if (answer?.done) setTyped(false)
  } else if (!typed && version > seen.version) setSeen({ version, values })
  return (
    <SaveForm save={save} onInput={() => setTyped(true)}>
      <input type="hidden" name="version" value={seen.version} />
      <Groups
        key={seen.version}
        values={answer?.values ?? seen.values}
        newer={answer?.newer}
        {...{ errors, readers }}
      />
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

type GroupProps = { values: Values; errors: FieldErrors | undefined; newer: Newer | undefined }
type GroupsProps = GroupProps & Pick<Props, 'readers'>

function Groups({ readers, ...props }: GroupsProps) {
  const { values, errors, newer } = props
  const text = (name: SiteText) => <TextField key={name} name={name} {...props} />
  return (
    <>
      <fieldset className={styles.group}>
        <legend data-mincho>お店</legend>
        {(['name', 'seal'] as const).map(text)}
        <Palettes {...props} />
        {(['description', 'notice'] as const).map(text)}
      </fieldset>
      <fieldset className={styles.group}>
        <legend data-mincho>場所と電話</legend>
        {(['postalCode', 'address', 'telephone', 'mapQuery'] as const).map(text)}
        <Field label="道順" hint="1行に1つずつ、駅やバス停からの道を書きます。" errors={errors?.directions}>
          {(wiring) => <textarea {...wiring} name="directions" rows={4} defaultValue={values.directions} />}
        </Field>
        <Newer name="directions" newer={newer} />
        {text('parking')}
      </fieldset>
      <fieldset id="guide" className={styles.group}>
        <legend data-mincho>ご案内</legend>
        {(['hoursInWords', 'seats', 'payment'] as const).map(text)}
        <Links {...props} />
      </fieldset>
      <Recipients {...props} readers={readers} />
      <Switches values={values} />
    </>
  )
}

/** Each colour with what it looks like, whatever the page has. */
function Palettes({ values, errors, newer }: GroupProps) {
  return (
    <fieldset className={styles.palettes} aria-describedby="palettes-hint">
      <legend>色</legend>
      <p id="palettes-hint" className={styles.hint}>
        印とボタンの色です。紙の色合いと、サイトのアイコンも合わせて変わります。
      </p>
      <div className={styles.choices}>
        {paletteNames.map((name) => (
          <label key={name} data-palette={name}>
            <input type="radio" name="palette" value={name} defaultChecked={values.palette === name} />
            <span className={styles.swatch} aria-hidden="true" />
            {palettes[name].name}
          </label>
        ))}
      </div>
      {errors?.palette && <p className={styles.error}>{errors.palette.join(' ')}</p>}
      <Newer name="palette" newer={newer} />
    </fieldset>
  )
}

function Recipients({ readers: readNow, values, errors, newer }: GroupsProps) {
  return (
    <fieldset className={styles.group}>
      <legend data-mincho>お問い合わせを読む人</legend>
      <p className={styles.hint}>
        メールのページから届いたお問い合わせを送る先です。アドレスは管理者のほかには見えません。空のところは「お店」宛と同じになります。
      </p>
      {!values['recipients.shop'] && <p className={styles.hint}>{readersInWords(readNow)}</p>}
      {Object.entries(readers).map(([name, { label }]) => (
        <div key={name}>
          <Line name={`recipients.${name}`} label={label} type="email" values={values} errors={errors} />
          <Newer name={`recipients.${name}`} newer={newer} />
        </div>
      ))}
    </fieldset>
  )
}

function Switches({ values }: { values: Values }) {
  return (
    <fieldset className={styles.group}>
      <legend data-mincho>編集のしかた</legend>
      {Object.entries(switches).map(([name, { label, hint }]) => (
        <div key={name} className={styles.switch}>
          <label>
            <input
              type="checkbox"
              name={name}
              defaultChecked={values[name] === 'on'}
              aria-describedby={`${name}-hint`}
            />
            {label}
          </label>
          <p id={`${name}-hint`} className={styles.hint}>
            {hint}
          </p>
        </div>
      ))}
    </fieldset>
  )
}

function readersInWords(readers: string[] | null) {
  if (readers === null) return 'このサイトにはメールを送る設定がないため、お問い合わせは受信箱だけに残ります。'
  if (readers.length === 0)
    return 'いまは、お問い合わせを読む人が決まっていません。どなたかのアドレスを入れてください。'
  return `「お店」宛が空のあいだは、${readers.join('、')} に届きます。`
}

function TextField({ name, values, errors, newer }: GroupProps & { name: SiteText }) {
  const { label, most, hint, kind }: { label: string; most: number; hint?: string; kind?: 'text' | 'tel' } =
    siteTexts[name]
  const common = { name, maxLength: mostUnits(most), defaultValue: values[name], autoComplete: 'off' }
  return (
    <>
      <Field label={label} hint={hint} errors={errors?.[name]}>
        {(wiring) =>
          kind === 'text' ? (
            <textarea {...wiring} {...common} rows={3} />
          ) : (
            <input {...wiring} {...common} type={kind ?? 'text'} required={name === 'name'} />
          )
        }
      </Field>
      <Newer name={name} newer={newer} />
    </>
  )
}

type LineProps = Omit<GroupProps, 'newer'> & ComponentProps<'input'> & { name: string; label: string }

function Line({ name, label, values, errors, ...attributes }: LineProps) {
  return (
    <Field label={label} errors={errors?.[name]}>
      {(wiring) => <input {...attributes} {...wiring} name={name} autoComplete="off" defaultValue={values[name]} />}
    </Field>
  )
}

/** The links that there are, and room for two more. */
function Links({ values, errors, newer }: GroupProps) {
  const filled = Object.keys(values).filter((name) => /^links\.\d\.url$/.test(name) && values[name]).length
  const rows = Array.from({ length: Math.min(filled + 2, MOST_LINKS) }, (_, index) => `links.${index}`)
  return (
    <fieldset className={styles.links}>
      <legend>リンク</legend>
      <p className={styles.hint}>
        SNSや予約サイトなど、ページのいちばん下に並びます。消すときは、名前とアドレスを空にします。
      </p>
      {rows.map((row, index) => (
        <div key={row} className={styles.link}>
          <Line
            name={`${row}.name`}
            label={`${index + 1}つめの名前`}
            maxLength={mostUnits(40)}
            {...{ values, errors }}
          />
          <Line
            // Made anew where the answer has put https:// before it.
            key={values[`${row}.url`]}
            name={`${row}.url`}
            label={`${index + 1}つめのアドレス`}
            type="url"
            placeholder="https://"
            {...{ values, errors }}
          />
        </div>
      ))}
      {errors?.links && <p className={styles.error}>{errors.links.join(' ')}</p>}
      <Newer name="links" newer={newer} />
    </fieldset>
  )
}

/** What somebody else saved of a field that the editor changed too. */
function Newer({ name, newer }: { name: string; newer: Newer | undefined }) {
  if (!newer?.clashes.includes(name)) return null
  const { values } = newer
  const links = Object.keys(values).filter((field) => field.startsWith('links.'))
  const now = name === 'links' ? links.map((field) => values[field]).join('\n') : inWords(name, values[name])
  return (
    <p className={styles.newer}>
      <b>いまの内容</b>
      {now || '（空）'}
    </p>
  )
}

function inWords(name: string, value = '') {
  return name === 'palette' ? palettes[value as PaletteName]?.name : value
}
