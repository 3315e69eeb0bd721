import { type ReactNode, useId } from 'react'
import { DaySelects } from '../dates/day-selects.tsx'
import type { Day } from '../dates/month.ts'
import { imageSources } from '../media/image.ts'
import { ImageField } from '../media/image-field.tsx'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import type { Section } from '../sections/section.ts'
import { announce } from '../ui/announce.ts'
import button from '../ui/button.module.css'
import { characterCount } from '../ui/characters.ts'
import { Field as Labelled, namedOptions } from '../ui/field.tsx'
import { withHttps } from '../ui/link-refusal.ts'
import { allergens } from './allergens.ts'
import { type CollectionName, collectionOf, type Field, firstYear, lastYear } from './card.ts'
import styles from './card-form.module.css'
import type { CardValues } from './card-form-values.ts'
import { describeValue, fieldLabel } from './card-labels.ts'
import { marks } from './marks.ts'
import { recommendedAllergens } from './recommended-allergens.ts'

type Props = {
  field: Field
  collection: CollectionName
  required: boolean
  value: string
  typed: string
  errors: string[] | undefined
  today: Day | undefined
  sections: Pick<Section, 'id' | 'name'>[]
  autoFocus: boolean
}

const hints: Partial<Record<Field, string>> = {
  linkUrl: 'https:// で始まるアドレスか、/dining のようなこのサイトのページです。なければ空欄のままにします。',
  youtubeUrl: 'YouTubeの動画のアドレスを、そのまま貼り付けてください。',
  imageAlt: '写真を見られない方のために読み上げられます。',
  text3: '写真を見られない方のために読み上げられます。（例）灯りのともる店先',
  shownFrom: '季節の料理などに。このときまで、お客さまには表示されません。',
  shownUntil: 'このときから、お客さまには表示されません。',
  price: '（例）1200円　小 800円、大 1200円　時価　お問い合わせください。空欄なら、価格は表示されません。',
}

type InputProps = { type?: 'datetime-local'; inputMode?: 'numeric' | 'url'; rows?: number }

const inputProps: Partial<Record<Field, InputProps>> = {
  order: { inputMode: 'numeric' },
  linkUrl: { inputMode: 'url' },
  youtubeUrl: { inputMode: 'url' },
  content: { rows: 7 },
  shownFrom: { type: 'datetime-local' },
  shownUntil: { type: 'datetime-local' },
}

const MAX_LINE_CHARACTERS = 40

export function CardField(props: Props): ReactNode {
  const { field, collection, required, value, typed, errors, today, sections, autoFocus } = props
  if (field === 'eventDay') return <EventDay day={value} errors={errors} near={today} />
  if (field === 'section') return <SectionSelect {...{ value, typed, errors, sections }} />
  if (field === 'allergens') return <Allergens value={value} errors={errors} />
  if (field === 'marks')
    return (
      <Group legend="目印（任意）" errors={errors}>
        <Ticks name="marks" options={marks} value={value} errors={errors} />
      </Group>
    )
  if (field === 'allergensConfirmed' || field === 'draft')
    return <CheckboxField field={field} checked={value === 'on'} />
  const label = fieldLabel(field, collection)
  if (isImageField(field)) {
    const defaultPurpose = collection === 'home' ? 'screen' : 'card'
    return (
      <ImageField
        name={field}
        label={label}
        required={required}
        url={value}
        purpose={field === 'image' ? defaultPurpose : 'portrait'}
        errors={errors}
      />
    )
  }
  const { rows, ...common } = { autoFocus, ...inputProps[field] }
  const isLine = field === 'text1' || field === 'text2'
  const characters = isLine ? characterCount(typed) : 0
  const hint = field === 'order' ? orderHint(collection) : hints[field]
  return (
    <Labelled
      label={label}
      required={required}
      hint={isLine ? `${MAX_LINE_CHARACTERS}文字まで（現在${characters}文字）` : hint}
      errors={errors}
      warning={
        isLine && characters > MAX_LINE_CHARACTERS && !errors
          ? `${characters - MAX_LINE_CHARACTERS}文字超えています`
          : null
      }
    >
      {(wiring) =>
        rows ? (
          <textarea {...wiring} name={field} rows={rows} defaultValue={value} />
        ) : (
          <>
            <input {...wiring} name={field} {...common} defaultValue={value} autoComplete="off" />
            {field === 'linkUrl' && errors && <HttpsOffer id={wiring.id} typed={typed} />}
          </>
        )
      }
    </Labelled>
  )
}

function isImageField(field: Field) {
  return field === 'image' || field === 'portraitImage'
}

const namesById = (sections: Pick<Section, 'id' | 'name'>[]) => new Map(sections.map(({ id, name }) => [id, name]))

function SectionSelect(props: Pick<Props, 'value' | 'typed' | 'errors' | 'sections'>) {
  const { value, typed, errors, sections } = props
  const isDeleted = typed !== '' && !sections.some(({ id }) => id === typed)
  if (sections.length === 0 && !isDeleted) return <input type="hidden" name="section" value="" />
  return (
    <Labelled label="分類" errors={errors}>
      {(wiring) => (
        <select {...wiring} name="section" defaultValue={value}>
          <option value="">なし</option>
          {/* The option keeps its key, because the browser would choose another option if React replaced it. */}
          {namedOptions(namesById(isDeleted ? [...sections, { id: typed, name: '削除された分類' }] : sections))}
        </select>
      )}
    </Labelled>
  )
}

function HttpsOffer({ id, typed }: { id: string; typed: string }) {
  const suggestedUrl = withHttps(typed)
  if (!suggestedUrl) return null
  const applyUrl = () => {
    const input = document.getElementById(id) as HTMLInputElement
    input.value = suggestedUrl
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.focus()
    announce(`${suggestedUrl} にしました。`)
  }
  return (
    <button type="button" className={`${button.button} ${styles.offer}`} onClick={applyUrl}>
      {`${suggestedUrl} にする`}
    </button>
  )
}

function orderHint(collection: CollectionName) {
  const sentence = '小さい数字ほど先に並びます。空欄のときは最後です。'
  return collectionOf(collection).sortedBy === 'order' ? sentence : `同じ日付の中で、${sentence}`
}

function EventDay({ day, errors, near }: { day: string; errors: string[] | undefined; near: Day | undefined }) {
  return (
    <Group legend="日付（任意）" errors={errors}>
      <div className={styles.parts}>
        <DaySelects
          name="eventDay"
          day={day}
          years={[firstYear, lastYear]}
          optional={{ near }}
          className={styles.part}
          wiring={errors && { 'aria-invalid': true }}
        />
      </div>
    </Group>
  )
}

function Allergens({ value, errors }: { value: CardValues['allergens']; errors: string[] | undefined }) {
  return (
    <Group legend="アレルギー物質（含むものすべて）" errors={errors}>
      <Ticks name="allergens" options={allergens} value={value} errors={errors} />
      <details className={styles.further} open={recommendedAllergens.some((name) => value.split('、').includes(name))}>
        <summary>{`そのほかの${recommendedAllergens.length}品目（任意）`}</summary>
        <Ticks name="allergens" options={recommendedAllergens} value={value} />
      </details>
    </Group>
  )
}

type GroupProps = { legend: string; errors: string[] | undefined; children: ReactNode }

function Group({ legend, errors, children }: GroupProps) {
  const id = useId()
  return (
    <fieldset className={styles.group} aria-describedby={errors && id}>
      <legend>{legend}</legend>
      {children}
      {errors && (
        <p id={id} className={styles.error}>
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  )
}

type TicksProps = { name: Field; options: readonly string[]; value: string; errors?: string[] | undefined }

function Ticks({ name, options, value, errors }: TicksProps) {
  const checkedOptions = value.split('、')
  return (
    <div className={styles.ticks}>
      {options.map((option) => (
        <label key={option}>
          <input
            type="checkbox"
            name={name}
            value={option}
            defaultChecked={checkedOptions.includes(option)}
            aria-invalid={errors && true}
          />
          {option}
        </label>
      ))}
    </div>
  )
}

const checkboxes = {
  allergensConfirmed: [
    'アレルギー物質を確認しました',
    `上の${allergens.length}品目のうち、チェックのないものは使っていないことになります。この確認にチェックを入れるまでは、スタッフにお尋ねいただくようお客さまに案内します。`,
  ],
  draft: ['下書きにする', '編集できる方だけに表示します。公開するときにチェックを外してください。'],
}

function CheckboxField({ field, checked }: { field: keyof typeof checkboxes; checked: boolean }) {
  const [label, hint] = checkboxes[field]
  return (
    <label className={styles.draft}>
      <input type="checkbox" name={field} defaultChecked={checked} />
      <span>
        {label}
        <small>{hint}</small>
      </span>
    </label>
  )
}

type ChoiceProps = Pick<Props, 'field' | 'sections'> & {
  collection: CollectionName
  theirs: string
  children: ReactNode
}

export function ConflictChoice({ field, collection, theirs, sections, children }: ChoiceProps) {
  return (
    <fieldset className={styles.choice}>
      <legend>{`${fieldLabel(field, collection)}：どちらを残しますか`}</legend>
      <div className={styles.sides}>
        <div>
          <label className={styles.side}>
            <input type="radio" name={`choice.${field}`} value="own" defaultChecked />
            あなたの入力を残す
          </label>
          {children}
        </div>
        <div>
          <label className={styles.side}>
            <input type="radio" name={`choice.${field}`} value="theirs" />
            ほかの方の入力を残す
          </label>
          {isImageField(field) && imageSources(theirs) ? (
            <ResponsiveImage url={theirs} alt="ほかの方の写真" sizes="320px" />
          ) : (
            <p className={styles.theirs}>{describeValue(field, theirs, namesById(sections)) || '（空欄）'}</p>
          )}
        </div>
      </div>
    </fieldset>
  )
}
