import { useState } from 'react'
import {
  CheckboxSetting,
  ImageSetting,
  NewerValue,
  SettingsForm,
  type SettingsState,
  TextSetting,
} from '../forms/settings-form.tsx'
import { UnsavedChangesPrompt } from '../forms/unsaved-changes-prompt.tsx'
import { isKeyOf } from '../ui/is-key-of.ts'
import { MAP_IMAGE } from './map-image.ts'
import { PaletteField } from './palette-field.tsx'
import styles from './site-fields.module.css'
import {
  type SectionSetting,
  type SiteSection,
  settingsBySection,
  siteSectionNames,
  siteSections,
} from './site-sections.ts'
import {
  DAYS_WITHOUT_TABLES,
  MAX_DIRECTIONS,
  MAX_LINKS,
  MAX_RECIPIENT_NAME,
  recipientKeys,
  recipients,
  siteTexts,
  switches,
  type TableNumber,
  tableNumbers,
} from './site-words.ts'

type Props = {
  version: number
  values: Record<SiteSection, Record<string, string>>
  /** The stored e-mail addresses that receive the messages to the shop, or null if the site sends no mail. */
  readers: string[] | null
  hasCircle: boolean
  isPutBack: boolean
}

export function SiteFields({ version, values, isPutBack, ...shared }: Props) {
  const [changedSections, setChangedSections] = useState<SiteSection[]>([])
  const unsavedSections = siteSectionNames.filter((section) => changedSections.includes(section))
  return (
    <>
      <nav className={styles.contents} aria-label="この画面の項目">
        <ul>
          {siteSectionNames.map((section) => (
            <li key={section}>
              <a href={`#${section}`}>{siteSections[section]}</a>
            </li>
          ))}
        </ul>
      </nav>
      {siteSectionNames.map((section) => (
        <section key={section} id={section} className={styles.group} aria-labelledby={`${section}-title`}>
          <h2 id={`${section}-title`}>{siteSections[section]}</h2>
          <SettingsForm
            section={section}
            version={version}
            values={values[section]}
            draftName={`site ${section}`}
            isPutBack={isPutBack}
            button={`${siteSections[section]}を保存する`}
            onTyped={(isChanged) =>
              setChangedSections((others) => [
                ...others.filter((other) => other !== section),
                ...(isChanged ? [section] : []),
              ])
            }
          >
            {(state) =>
              settingsBySection[section].map((name) => <Setting key={name} name={name} {...shared} {...state} />)
            }
          </SettingsForm>
        </section>
      ))}
      <UnsavedChangesPrompt
        asks={unsavedSections.length > 0}
        anyQuery
        sentence={`${unsavedSections.map((section) => `「${siteSections[section]}」`).join('')}に、まだ保存していないところがあります。この画面を離れますか？`}
        confirm="離れる"
      >
        <p>入力した内容はこのブラウザに残り、次にこの画面を開いたときに続きを入力できます。</p>
      </UnsavedChangesPrompt>
    </>
  )
}

type SettingProps = SettingsState & Pick<Props, 'readers' | 'hasCircle'> & { name: SectionSetting }

function Setting({ name, readers, hasCircle, ...state }: SettingProps) {
  if (isKeyOf(tableNumbers, name)) return <NumberSetting name={name} {...state} />
  if (name === 'dishesAndCalendarByStaffOnly' && !hasCircle)
    return <input type="hidden" name={name} value={state.values[name]} />
  if (isKeyOf(switches, name))
    return <CheckboxSetting name={name} {...switches[name]} words={['はい', 'いいえ']} {...state} />
  switch (name) {
    case 'palette':
      return <PaletteField {...state} />
    case 'wayPicture':
      return <ImageSetting name={name} label={MAP_IMAGE} purpose="map" {...state} />
    case 'directions':
      return <TextSetting name={name} label="道順" kind="text" hint={DIRECTIONS_HINT} {...state} />
    case 'links':
      return <Links {...state} />
    case 'recipientNames':
      return <Recipients {...state} readers={readers} />
    // The fields of `recipients` are rendered together with `recipientNames`.
    case 'recipients':
      return null
    case 'tableDaysWithout':
      return <TextSetting name={name} label={DAYS_WITHOUT_TABLES} kind="text" hint={DAYS_WITHOUT_HINT} {...state} />
    default:
      return <TextSetting name={name} {...siteTexts[name]} {...state} required={name === 'name'} />
  }
}

function NumberSetting({ name, ...state }: SettingsState & { name: TableNumber }) {
  const { label, unit, ...rule } = tableNumbers[name]
  const hint = `${'hint' in rule ? rule.hint : ''}${rule.min}〜${rule.max}${unit}`
  return <TextSetting name={name} label={label} hint={hint} inputMode="numeric" required {...state} />
}

const DAYS_WITHOUT_HINT =
  '定休日のほかに、お申し込みを受け付けない日です。1行に1つずつ、「月曜日」か「2027-01-01」のように入力します。'

const DIRECTIONS_HINT = `1行に1つずつ、駅やバス停からの道順を入力します。${MAX_DIRECTIONS}行までです。`

function Recipients({ readers, ...state }: SettingsState & Pick<Props, 'readers'>) {
  return (
    <>
      <p className={styles.hint}>
        お問い合わせのページで選べる宛先と、お問い合わせを受け取る方のメールアドレスです。名前が空欄の宛先は、ページに表示しません。アドレスは管理者以外には表示しません。アドレスが空欄の宛先は、1つめの宛先と同じ方に届きます。
      </p>
      {!state.values['recipients.shop'] && <p className={styles.hint}>{recipientsHint(readers)}</p>}
      {recipientKeys.map((key) => (
        <div key={key} className={styles.link}>
          <div>
            <TextSetting
              name={`recipientNames.${key}`}
              label={recipients[key].name}
              most={MAX_RECIPIENT_NAME}
              required={key === 'shop'}
              {...state}
            />
          </div>
          <div>
            <TextSetting name={`recipients.${key}`} label={recipients[key].reader} most={254} kind="email" {...state} />
          </div>
        </div>
      ))}
    </>
  )
}

function recipientsHint(readers: string[] | null) {
  if (readers === null) return 'このサイトにはメールを送る設定がないため、お問い合わせは受信箱だけに残ります。'
  if (readers.length === 0)
    return 'お問い合わせを受け取る方がまだ決まっていません。どなたかのアドレスを入力してください。'
  return `1つめの宛先のメールアドレスが空欄のあいだは、${readers.join('、')} に届きます。`
}

function Links({ values, errors, newer }: SettingsState) {
  const filledCount = Object.keys(values).filter((name) => /^links\.\d\.url$/.test(name) && values[name]).length
  const rows = Array.from({ length: Math.min(filledCount + 2, MAX_LINKS) }, (_, index) => `links.${index}`)
  const state = { values, errors, newer: undefined }
  return (
    <fieldset className={styles.links}>
      <legend>リンク</legend>
      <p className={styles.hint}>
        SNSや予約サイトなど、ページのいちばん下に並びます。InstagramやLINEなどは「@kumi」のような名前だけでもかまいません。削除するときは、名前とアドレスを空欄にします。
      </p>
      {rows.map((row, index) => (
        <div key={row} className={styles.link}>
          <div>
            <TextSetting name={`${row}.name`} label={`${index + 1}つめの名前`} most={40} {...state} />
          </div>
          <TextSetting
            name={`${row}.url`}
            label={`${index + 1}つめのアドレス`}
            kind="url"
            placeholder="https://"
            {...state}
          />
        </div>
      ))}
      {errors?.links && <p className={styles.error}>{errors.links.join(' ')}</p>}
      <NewerValue name="links" newer={newer} now={formatLinks} />
    </fieldset>
  )
}

function formatLinks(values: Record<string, string>) {
  const links = Object.keys(values).filter((field) => field.startsWith('links.'))
  return links.map((field) => values[field]).join('\n')
}
