import type { ReactNode } from 'react'
import type { Day } from '../calendar/month.ts'
import { ImageField } from '../media/image-field.tsx'
import { Field as Labelled } from '../ui/field.tsx'
import styles from './content-form.module.css'
import { allergens, type CollectionName, collections, type Field } from './content-item.ts'
import type { Values } from './content-values.ts'
import { fieldWords } from './content-words.ts'
import { DaySelects } from './day-selects.tsx'

type Props = {
  field: Field
  collection: CollectionName
  /** What the control starts with. */
  value: string
  /** What stands in it now. */
  typed: string
  errors: string[] | undefined
  today: Day | undefined
}

const hints: Partial<Record<Field, string>> = {
  linkUrl: 'https:// で始まるアドレスか、/dining のようなこのサイトのページです。なければ空のままで。',
  youtubeUrl: 'YouTubeの動画のアドレスを、そのまま貼り付けてください。',
  imageAlt: '写真を見られない方に読み上げられます。（例）土鍋の炊き込みご飯',
  text3: '写真を見られない方に読み上げられます。（例）朝の光を受けた暖簾',
  price: '数字だけで。空にすると、価格は表示されません。',
}

const kinds: Partial<Record<Field, { inputMode?: 'numeric' | 'url'; rows?: number }>> = {
  order: { inputMode: 'numeric' },
  price: { inputMode: 'numeric' },
  linkUrl: { inputMode: 'url' },
  youtubeUrl: { inputMode: 'url' },
  content: { rows: 7 },
}

const LINE = 40

/** One field of a card, with its label, what helps to fill it in, and what is wrong with it. */
export function ContentField({ field, collection, value, typed, errors, today }: Props): ReactNode {
  if (field === 'eventDay') return <DaySelects name={field} day={value} errors={errors} near={today} />
  if (field === 'allergens') return <Allergens value={value} errors={errors} />
  if (field === 'draft') return <Draft checked={value === 'on'} />
  const label = isRequired(field, collection) ? `${fieldWords[field]}（必須）` : fieldWords[field]
  if (field === 'image') {
    return <ImageField name={field} label={label} url={value} large={collection === 'home'} errors={errors} />
  }
  const { rows, inputMode } = kinds[field] ?? {}
  const isLine = field === 'text1' || field === 'text2'
  return (
    <Labelled
      label={label}
      hint={
        isLine ? `${LINE}文字まで（いま${typed.length}文字）` : field === 'order' ? orderHint(collection) : hints[field]
      }
      errors={errors}
      warning={isLine && typed.length > LINE && !errors ? `${typed.length - LINE}文字多いようです` : null}
    >
      {(wiring) =>
        rows ? (
          <textarea {...wiring} name={field} rows={rows} defaultValue={value} />
        ) : (
          <input {...wiring} name={field} inputMode={inputMode} defaultValue={value} autoComplete="off" />
        )
      }
    </Labelled>
  )
}

function isRequired(field: Field, collection: CollectionName) {
  if (collection === 'home') return field === 'image' || field === 'text1'
  return field === 'title' || field === 'content'
}

function orderHint(collection: CollectionName) {
  const smaller = '小さい数字ほど先に並びます。空のときは最後です。'
  return collections[collection].sortedBy === 'order' ? smaller : `同じ日付の中で、${smaller}`
}

function Allergens({ value, errors }: { value: Values['allergens']; errors: string[] | undefined }) {
  const ticked = value.split('、')
  return (
    <fieldset className={styles.group}>
      <legend>アレルギー物質（含むものすべて）</legend>
      <div className={styles.ticks}>
        {allergens.map((name) => (
          <label key={name}>
            <input type="checkbox" name="allergens" value={name} defaultChecked={ticked.includes(name)} />
            {name}
          </label>
        ))}
      </div>
      {errors && <p className={styles.error}>{errors.join(' ')}</p>}
    </fieldset>
  )
}

function Draft({ checked }: { checked: boolean }) {
  return (
    <label className={styles.draft}>
      <input type="checkbox" name="draft" defaultChecked={checked} />
      <span>
        下書きにする
        <small>編集できる人だけに見えます。公開するときに外してください。</small>
      </span>
    </label>
  )
}
