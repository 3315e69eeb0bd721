import { z } from 'zod'
import { isDay } from '../dates/month.ts'
import { cleanEmail, invalidEmail, isPlainEmail } from '../forms/email-address.ts'
import { checkbox, textField } from '../forms/form-rules.ts'
import { linkRefusal, withHttps } from '../ui/link-refusal.ts'
import { paletteNames } from '../ui/palettes.ts'
import { cleanLine, cleanText, cleanUrl } from '../ui/typed-text.ts'
import { isMapImage } from './map-image.ts'
import { parseMapPosition } from './map-position.ts'
import { profileUrl } from './profile-url.ts'
import type { SiteSettings } from './site.ts'
import { type SectionSetting, type SiteSection, settingsBySection } from './site-sections.ts'
import {
  DAYS_WITHOUT_TABLES,
  MAX_DAYS_WITHOUT_TABLES,
  MAX_DIRECTIONS,
  MAX_DIRECTIONS_CHARACTERS,
  MAX_LINKS,
  MAX_RECIPIENT_NAME,
  type Recipient,
  recipientKeys,
  type SiteText,
  siteTexts,
  type TableNumber,
  tableNumbers,
} from './site-words.ts'

const textRules = Object.fromEntries(
  Object.entries<{ label: string; most: number; kind?: string }>(siteTexts).map(([name, { label, most, kind }]) => [
    name,
    textField(label, most, kind === 'text' ? cleanText : cleanLine),
  ]),
) as Record<SiteText, ReturnType<typeof textField>>

const emailRule = textField('メールアドレス', 254, cleanEmail).refine(
  (value) => value === '' || isPlainEmail(value),
  invalidEmail,
)

const recipientRules = <Rule extends z.ZodType>(ruleOf: (key: Recipient) => Rule) =>
  z.object(Object.fromEntries(recipientKeys.map((key) => [key, ruleOf(key)])) as Record<Recipient, Rule>)

const recipientNameRule = textField('宛先の名前', MAX_RECIPIENT_NAME, cleanLine)

const httpUrl = z.url({ protocol: /^https?$/ })

const linkRule = z
  .object({ name: textField('リンクの名前', 40, cleanLine), url: textField('リンクのアドレス', 500, cleanUrl) })
  .transform(({ name, url }) => ({ name, url: profileUrl(name, url) ?? url }))
  .superRefine(({ name, url }, context) => {
    const addError = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (url && !httpUrl.safeParse(url).success) addError('url', linkErrorOf(url))
    if (url && !name) addError('name', 'リンクの名前を入力してください')
    if (name && !url) addError('url', 'リンクのアドレスを入力してください')
  })

function linkErrorOf(url: string) {
  if (withHttps(url)) return linkRefusal(url)
  if (/^[@＠][\w.-]+$/.test(url))
    return 'どのサービスのものか分かるように、リンクの名前を「Instagram」などにしてください'
  return 'リンクは https:// で始まるアドレスを入力してください'
}

const tableNumberRules = Object.fromEntries(
  Object.entries(tableNumbers).map(([name, { label, min, max, unit }]): [string, z.ZodType<number>] => {
    const sentence = `${label}は、${min}から${max}までの数字（${unit}）で入力してください`
    const digits = z.string(sentence).overwrite((typed) => cleanLine(typed).normalize('NFKC'))
    const number = digits.regex(/^\d{1,4}$/, sentence).transform(Number)
    return [name, number.refine((value) => value >= min && value <= max, sentence)]
  }),
) as { [Name in TableNumber]: z.ZodType<number> }

const weekdays = [...'日月火水木金土'].map((letter) => `${letter}曜日`)

/** Returns YYYY-MM-DD or the name of a weekday, or null. */
function parseDayWithoutTables(typed: string) {
  const text = typed.normalize('NFKC')
  const weekday = weekdays.find((name) => name === text || name.slice(0, 2) === text || name.slice(0, 1) === text)
  if (weekday) return weekday
  const [, year = '', month = '', day = ''] = /^(\d{4})\D(\d{1,2})\D(\d{1,2})日?$/.exec(text) ?? []
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(date) ? date : null
}

const INVALID_IMAGE = '写真を選び直してください'

const rules: { [Name in SectionSetting]: z.ZodType<SiteSettings[Name]> } = {
  ...textRules,
  name: textRules.name.refine((name) => name !== '', '店名を入力してください'),
  mapPosition: textRules.mapPosition.refine(
    (typed) => typed === '' || parseMapPosition(typed) !== null,
    '「35.00393, 135.77832」のように、緯度、経度の順に数字で入力してください',
  ),
  palette: z.enum(paletteNames, '色をお選びください'),
  wayPicture: z.string(INVALID_IMAGE).refine((url) => url === '' || isMapImage(url), INVALID_IMAGE),
  ...tableNumberRules,
  takesTableRequests: checkbox,
  tableDaysWithout: textField(DAYS_WITHOUT_TABLES, 2000).transform((text, { addIssue }) => {
    const lines = text.split('\n').flatMap((line) => cleanLine(line) || [])
    const days = lines.map(parseDayWithoutTables)
    const unknown = lines.filter((_, index) => days[index] === null)
    if (unknown.length > 0) addIssue(`「月曜日」か「2027-01-01」のように入力してください（${unknown.join('、')}）`)
    if (lines.length > MAX_DAYS_WITHOUT_TABLES) addIssue(`${MAX_DAYS_WITHOUT_TABLES}行までです`)
    return [...new Set(days.filter((day) => day !== null))]
  }),
  directions: textField('道順', MAX_DIRECTIONS_CHARACTERS)
    .transform((lines) => lines.split('\n').flatMap((line) => cleanLine(line) || []))
    .refine((lines) => lines.length <= MAX_DIRECTIONS, `道順は${MAX_DIRECTIONS}行までです`),
  links: z
    .array(linkRule)
    .max(MAX_LINKS, `リンクは${MAX_LINKS}件までです`)
    .transform((links) => links.filter(({ url }) => url)),
  recipients: recipientRules(() => emailRule),
  recipientNames: recipientRules((key) =>
    key === 'shop'
      ? recipientNameRule.refine((name) => name !== '', '宛先の名前を入力してください')
      : recipientNameRule,
  ),
  dishesAndCalendarByStaffOnly: checkbox,
  showEditButtonsToVisitors: checkbox,
  otherLanguages: checkbox,
}

export function siteForm(section: SiteSection) {
  return settingsForm(settingsBySection[section])
}

/** Returns a schema of the named settings. Directions have one line for each step. Rows of links may be blank. */
export function settingsForm(names: readonly SectionSetting[]): z.ZodType<Partial<SiteSettings>> {
  return z.object(Object.fromEntries(names.map((name) => [name, rules[name]])))
}

export function siteFormFields(section: SiteSection) {
  return settingsBySection[section].flatMap((name) => {
    if (name === 'links')
      return Array.from({ length: 10 }, (_, index) => [`links.${index}.name`, `links.${index}.url`]).flat()
    if (name === 'recipients' || name === 'recipientNames') return recipientKeys.map((key) => `${name}.${key}`)
    return name
  })
}

/**
 * Returns the settings of a section as field values. Field names have the form `links.0.url`. An enabled switch has the
 * value `on`.
 */
export function siteFormValues(section: SiteSection, facts: SiteSettings): Record<string, string> {
  return Object.assign({}, ...settingsBySection[section].map((name) => formFieldsOf(name, facts)))
}

function formFieldsOf(name: SectionSetting, facts: SiteSettings): Record<string, string> {
  if (name === 'links') return Object.assign({}, ...facts.links.map(linkFields))
  if (name === 'directions' || name === 'tableDaysWithout') return { [name]: facts[name].join('\n') }
  const setting = facts[name]
  if (typeof setting === 'string' || typeof setting === 'number') return { [name]: String(setting) }
  if (typeof setting === 'boolean') return { [name]: setting ? 'on' : '' }
  return Object.fromEntries(Object.entries(setting).map(([key, value]) => [`${name}.${key}`, value]))
}

function linkFields({ name, url }: SiteSettings['links'][number], index: number) {
  return { [`links.${index}.name`]: name, [`links.${index}.url`]: url }
}

export function nestSiteFields(values: Record<string, string>) {
  const rows = Object.keys(values).flatMap((name) => Number(/^links\.(\d)\./.exec(name)?.[1] ?? -1) + 1)
  const links = Array.from({ length: Math.max(0, ...rows) }, (_, index) => ({
    name: values[`links.${index}.name`] ?? '',
    url: values[`links.${index}.url`] ?? '',
  }))
  const nestRecipients = (name: string) =>
    Object.fromEntries(recipientKeys.map((key) => [key, values[`${name}.${key}`] ?? '']))
  return {
    ...values,
    links,
    recipients: nestRecipients('recipients'),
    recipientNames: nestRecipients('recipientNames'),
  }
}
