import {
  CheckboxSetting,
  ImageSetting,
  SelectSetting,
  SettingsForm,
  type SettingsState,
  TextSetting,
} from '../forms/settings-form.tsx'
import styles from '../settings/site-fields.module.css'
import { TranslationLinks } from '../translations/translation-links.tsx'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { canBeHidden, type PageSettings } from './page.ts'
import { fieldsOf, filmLabels, MAX_ORDER, type PageText, pageTexts, placeLabels, textSettingOf } from './page-words.ts'

// The text field is loaded only for pages of an administrator, because built-in pages have no text.
const PageTextField = lazyComponent(async () => (await import('./page-text-field.tsx')).default)

type Props = { id: string; version: number; values: Record<string, string>; isPutBack: boolean }

export function PageFields({ id, ...record }: Props) {
  return (
    <>
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
      <TranslationLinks group="pages" id={id} />
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
        <ImageSetting name="image" label="写真" purpose="screen" {...state} />
        <p className={styles.hint}>映像を選んでいるあいだは、写真の代わりに映像を表示します。</p>
      </>
    )
  }
  if (name === 'text') return <PageTextField {...state} />
  if (name === 'shown') return <Shown id={id} {...state} />
  if (name === 'order') {
    const hint = '小さい数字ほど先に並びます。'
    const range = { kind: 'number', inputMode: 'numeric', min: 0, max: MAX_ORDER } as const
    return <TextSetting name="order" label="リンクの順番" hint={hint} {...range} required {...state} />
  }
  if (name === 'place') return <SelectSetting name="place" label="リンクの場所" options={placeLabels} {...state} />
  return <SelectSetting name="film" label="映像" options={filmLabels} {...state} />
}

function Shown({ id, ...state }: { id: string } & SettingsState) {
  if (!canBeHidden(id)) return <p className={styles.hint}>このページは、非公開にできません。</p>
  const hint = `${hidingHints[id] ?? 'チェックを外すと、リンクがなくなり、お客さまには「見つかりません」と表示されます。'}内容は消えません。`
  return <CheckboxSetting name="shown" label="このページを公開する" hint={hint} words={['公開', '非公開']} {...state} />
}

const hidingHints: Record<string, string> = {
  tennisrelated:
    'チェックを外すと、リンクがなくなり、新規登録、メンバー一覧、出欠もなくなります。承認されたメンバーは編集できなくなります。',
  mail: 'チェックを外すと、リンクがなくなり、お問い合わせを受け付けません。',
  calendar: 'チェックを外すと、リンクがなくなり、スマートフォンのカレンダーに登録することもできなくなります。',
}
