import { z } from 'zod'
import { cleanEmail, invalidEmail, isPlainEmail } from '../forms/email-address.ts'
import { checkbox, textField } from '../forms/form-rules.ts'
import { linkRefusal } from '../ui/link-refusal.ts'
import { paletteNames } from '../ui/palettes.ts'
import { withHttps } from '../ui/safe-link.ts'
import { cleanLine, cleanText, cleanUrl } from '../ui/typed-text.ts'
import { profileUrl } from './profile-url.ts'
import type { SiteSettings } from './site.ts'
import { factsOfSection, type SectionFact, type SiteSection } from './site-sections.ts'
import {
  MAX_DIRECTIONS,
  MAX_LINKS,
  MAX_RECIPIENT_NAME,
  type Recipient,
  recipientKeys,
  type SiteText,
  siteTexts,
} from './site-words.ts'
import { isWayPicture } from './way-picture.ts'

const texts = Object.fromEntries(
  Object.entries<{ label: string; most: number; kind?: string }>(siteTexts).map(([name, { label, most, kind }]) => [
    name,
    textField(label, most, kind === 'text' ? cleanText : cleanLine),
  ]),
) as Record<SiteText, ReturnType<typeof textField>>

const address = textField('メールアドレス', 254, cleanEmail).refine(
  (value) => value === '' || isPlainEmail(value),
  invalidEmail,
)

const forRecipients = <Rule extends z.ZodType>(ruleOf: (key: Recipient) => Rule) =>
  z.object(Object.fromEntries(recipientKeys.map((key) => [key, ruleOf(key)])) as Record<Recipient, Rule>)

const recipientName = textField('宛先の名前', MAX_RECIPIENT_NAME, cleanLine)

const webAddress = z.url({ protocol: /^https?$/ })

const link = z
  .object({ name: textField('リンクの名前', 40, cleanLine), url: textField('リンクのアドレス', 500, cleanUrl) })
  .transform(({ name, url }) => ({ name, url: profileUrl(name, url) ?? url }))
  .superRefine(({ name, url }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (url && !webAddress.safeParse(url).success) refuse('url', refusalOf(url))
    if (url && !name) refuse('name', 'リンクの名前を入力してください')
    if (name && !url) refuse('url', 'リンクのアドレスを入力してください')
  })

function refusalOf(url: string) {
  if (withHttps(url)) return linkRefusal(url)
  if (/^[@＠][\w.-]+$/.test(url))
    return 'どのサービスのものか分かるように、リンクの名前を「Instagram」などにしてください'
  return 'リンクは https:// で始まるアドレスを入力してください'
}

const NO_PICTURE = '写真を選びなおしてください'

const rules: { [Fact in SectionFact]: z.ZodType<SiteSettings[Fact]> } = {
  ...texts,
  name: texts.name.refine((name) => name !== '', '店名を入力してください'),
  palette: z.enum(paletteNames, '色をお選びください'),
  wayPicture: z.string(NO_PICTURE).refine((url) => url === '' || isWayPicture(url), NO_PICTURE),
  directions: textField('道順', 2000)
    .transform((lines) => lines.split('\n').flatMap((line) => cleanLine(line) || []))
    .refine((lines) => lines.length <= MAX_DIRECTIONS, `道順は${MAX_DIRECTIONS}行までです`),
  links: z
    .array(link)
    .max(MAX_LINKS, `リンクは${MAX_LINKS}件までです`)
    .transform((links) => links.filter(({ url }) => url)),
  recipients: forRecipients(() => address),
  recipientNames: forRecipients((key) =>
    key === 'shop' ? recipientName.refine((name) => name !== '', '宛先の名前を入力してください') : recipientName,
  ),
  dishesAndCalendarByStaffOnly: checkbox,
  showEditButtonsToVisitors: checkbox,
}

export function siteForm(section: SiteSection) {
  return formOfSettings(factsOfSection(section))
}

/** Returns a schema of the named settings. Directions are one per line; rows of links may be blank. */
export function formOfSettings(names: readonly SectionFact[]): z.ZodType<Partial<SiteSettings>> {
  return z.object(Object.fromEntries(names.map((name) => [name, rules[name]])))
}

export function siteFormFields(section: SiteSection) {
  return factsOfSection(section).flatMap((name) => {
    if (name === 'links')
      return Array.from({ length: 10 }, (_, index) => [`links.${index}.name`, `links.${index}.url`]).flat()
    if (name === 'recipients' || name === 'recipientNames') return recipientKeys.map((key) => `${name}.${key}`)
    return name
  })
}

/** Returns a section's settings as field values. Names are like `links.0.url`; an enabled switch has the value `on`. */
export function siteFormValues(section: SiteSection, facts: SiteSettings): Record<string, string> {
  return Object.assign({}, ...factsOfSection(section).map((name) => fieldsOf(name, facts)))
}

function fieldsOf(name: SectionFact, facts: SiteSettings): Record<string, string> {
  if (name === 'links') return Object.assign({}, ...facts.links.map(linkFields))
  if (name === 'directions') return { directions: facts.directions.join('\n') }
  const fact = facts[name]
  if (typeof fact === 'string') return { [name]: fact }
  if (typeof fact === 'boolean') return { [name]: fact ? 'on' : '' }
  return Object.fromEntries(Object.entries(fact).map(([key, value]) => [`${name}.${key}`, value]))
}

function linkFields({ name, url }: SiteSettings['links'][number], index: number) {
  return { [`links.${index}.name`]: name, [`links.${index}.url`]: url }
}

/** Converts field values with names like `links.0.url` to the nested input of `siteForm`. */
export function nestedSiteForm(values: Record<string, string>) {
  const rows = Object.keys(values).flatMap((name) => Number(/^links\.(\d)\./.exec(name)?.[1] ?? -1) + 1)
  const links = Array.from({ length: Math.max(0, ...rows) }, (_, index) => ({
    name: values[`links.${index}.name`] ?? '',
    url: values[`links.${index}.url`] ?? '',
  }))
  const nested = (name: string) => Object.fromEntries(recipientKeys.map((key) => [key, values[`${name}.${key}`] ?? '']))
  return { ...values, links, recipients: nested('recipients'), recipientNames: nested('recipientNames') }
}
