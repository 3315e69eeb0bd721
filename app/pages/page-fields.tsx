import { NewerValue, SettingsForm, type SettingsState, TextSetting } from '../forms/settings-form.tsx'
import { ImageField } from '../media/image-field.tsx'
import styles from '../settings/site-fields.module.css'
import { TranslationLinks } from '../translations/translation-links.tsx'
import { Field } from '../ui/field.tsx'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { canBeHidden, type PageSettings } from './page.ts'
import { fieldsOf, filmLabels, MAX_ORDER, type PageText, pageTexts, placeLabels, textSettingOf } from './page-words.ts'

// The text field is loaded only for pages of an administrator, because built-in pages have no text.
const PageTextField = lazyComponent(async () => (await import('./page-text-field.tsx')).default)

type Props = { id: string; version: number; values: Record<string, string>; isPutBack: boolean }

export function PageFields({ id, ...record }: Props) {
  return (
    <>
      <TranslationLinks group="pages" id={id} />
      <SettingsForm {...record} draftName={`page ${id}`}>
        {(state) =>
          fieldGroups.map(({ legend, facts }) => {
            const groupFields = fieldsOf(id).filter((name) => facts.includes(name))
            return groupFields.length === 0 ? null : (
              <fieldset key={legend} className={styles.group}>
                <legend data-mincho>{legend}</legend>
                {groupFields.map((name) => (
                  <Setting key={name} id={id} name={name} state={state} />
                ))}
              </fieldset>
            )
          })
        }
      </SettingsForm>
    </>
  )
}

const fieldGroups: { legend: string; facts: (keyof PageSettings)[] }[] = [
  { legend: 'ページの文章', facts: ['title', 'english', 'introduction', 'text', 'scenes', 'empty'] },
  { legend: '映像と写真', facts: ['film', 'image', 'imageAlt'] },
  { legend: '検索とリンク', facts: ['description', 'label', 'place', 'order'] },
  { legend: '公開', facts: ['shown'] },
]

type SettingProps = { id: string; name: keyof PageSettings; state: SettingsState }

function Setting({ id, name, state }: SettingProps) {
  const { values, errors, newer } = state
  if (name in pageTexts) {
    return (
      <TextSetting
        name={name}
        {...textSettingOf(id, name as PageText)}
        {...state}
        required={name === 'title' && id !== 'home'}
      />
    )
  }
  if (name === 'image') {
    return (
      <>
        <ImageField name="image" label="写真" url={values.image ?? ''} purpose="screen" errors={errors?.image} />
        <p className={styles.hint}>映像を選んでいるあいだは、写真の代わりに映像を表示します。</p>
        <NewerValue name="image" newer={newer} />
      </>
    )
  }
  if (name === 'text') return <PageTextField {...state} />
  if (name === 'shown') return <Shown id={id} values={values} newer={newer} />
  if (name === 'order') {
    return (
      <>
        <Field label="リンクの順番" required hint="小さい数字ほど先に並びます。" errors={errors?.order}>
          {(wiring) => (
            <input
              {...wiring}
              name="order"
              type="number"
              inputMode="numeric"
              min={0}
              max={MAX_ORDER}
              defaultValue={values.order}
            />
          )}
        </Field>
        <NewerValue name="order" newer={newer} />
      </>
    )
  }
  return <Select name={name === 'place' ? 'place' : 'film'} {...state} />
}

function Select({ name, values, errors, newer }: { name: 'place' | 'film' } & SettingsState) {
  const options: Record<string, string> = name === 'place' ? placeLabels : filmLabels
  const label = name === 'place' ? 'リンクの場所' : '映像'
  return (
    <>
      <Field label={label} errors={errors?.[name]}>
        {(wiring) => (
          <select {...wiring} name={name} defaultValue={values[name]}>
            {Object.entries(options).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
      <NewerValue name={name} newer={newer} now={(now) => options[now[name] as string]} />
    </>
  )
}

function Shown({ id, values, newer }: { id: string } & Pick<SettingsState, 'values' | 'newer'>) {
  if (!canBeHidden(id)) {
    return <p className={styles.hint}>このページは、非公開にできません。</p>
  }
  return (
    <div className={styles.switch}>
      <label>
        <input type="checkbox" name="shown" defaultChecked={values.shown === 'on'} aria-describedby="shown-hint" />
        このページを公開する
      </label>
      <p id="shown-hint" className={styles.hint}>
        {`${hidingHints[id] ?? 'チェックを外すと、リンクがなくなり、お客さまには「見つかりません」と表示されます。'}内容は消えません。`}
      </p>
      <NewerValue name="shown" newer={newer} now={(now) => (now.shown === 'on' ? '公開' : '非公開')} />
    </div>
  )
}

const hidingHints: Record<string, string> = {
  tennisrelated:
    'チェックを外すと、リンクがなくなり、新規登録、メンバー一覧、出欠もなくなります。承認されたメンバーは編集できなくなります。',
  mail: 'チェックを外すと、リンクがなくなり、お問い合わせを受け付けません。',
  calendar: 'チェックを外すと、リンクがなくなり、スマートフォンのカレンダーに登録することもできなくなります。',
}
