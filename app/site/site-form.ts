import { z } from 'zod'
import { isPlainAddress, notAnAddress } from '../email-address.ts'
import { factText, ticked } from '../saving/fact-rules.ts'
import { trimmed } from '../ui/blank.ts'
import { paletteNames } from '../ui/palettes.ts'
import { httpsAdded, withHttps } from '../ui/safe-link.ts'
import type { SiteFacts } from './site.ts'
import {
  MOST_DIRECTIONS,
  MOST_LINKS,
  MOST_RECIPIENT_NAME,
  type Recipient,
  recipientKeys,
  type SiteText,
  siteTexts,
  switches,
} from './site-words.ts'
import { isWayPicture } from './way-picture.ts'

const texts = Object.fromEntries(
  Object.entries(siteTexts).map(([name, { label, most }]) => [name, factText(label, most)]),
) as Record<SiteText, ReturnType<typeof factText>>

const address = factText('メールアドレス', 254).refine((value) => value === '' || isPlainAddress(value), notAnAddress)

const forRecipients = <Rule extends z.ZodType>(ruleOf: (key: Recipient) => Rule) =>
  z.object(Object.fromEntries(recipientKeys.map((key) => [key, ruleOf(key)])) as Record<Recipient, Rule>)

const recipientName = factText('宛先の名前', MOST_RECIPIENT_NAME)

const picture = z
  .string('写真を選びなおしてください')
  .refine((url) => url === '' || isWayPicture(url), '写真を選びなおしてください')

const link = z
  .object({ name: factText('リンクの名前', 40), url: factText('リンクのアドレス', 500) })
  .superRefine(({ name, url }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (url && !isWebAddress(url))
      refuse('url', withHttps(url) ? httpsAdded : 'リンクは https:// で始まるアドレスを入力してください')
    if (url && !name) refuse('name', 'リンクの名前を入力してください')
    if (name && !url) refuse('url', 'リンクのアドレスを入力してください')
  })

function isWebAddress(url: string) {
  return z.url({ protocol: /^https?$/ }).safeParse(url).success
}

/** The shop's facts as /site sends them: directions one a line, links with blank rows between them. */
export const SiteForm = z.object({
  ...texts,
  wayPicture: picture,
  name: texts.name.refine((name) => name !== '', '店名を入力してください'),
  palette: z.enum(paletteNames, '色をお選びください'),
  directions: factText('道順', 2000)
    .transform((lines) => lines.split('\n').flatMap((line) => trimmed(line) || []))
    .refine((lines) => lines.length <= MOST_DIRECTIONS, `道順は${MOST_DIRECTIONS}行までです`),
  links: z
    .array(link)
    .max(MOST_LINKS, `リンクは${MOST_LINKS}件までです`)
    .transform((links) => links.filter(({ url }) => url)),
  recipients: forRecipients(() => address),
  recipientNames: forRecipients((key) =>
    key === 'shop' ? recipientName.refine((name) => name !== '', '宛先の名前を入力してください') : recipientName,
  ),
  dishesAndCalendarByStaffOnly: ticked,
  hideEditButtonsFromVisitors: ticked,
}) satisfies z.ZodType<SiteFacts>

/** The names of the form's fields, of which there may be many at once. */
export const siteFormFields = [
  ...Object.keys(siteTexts),
  ...['palette', 'directions', 'wayPicture', ...Object.keys(switches)],
  ...recipientKeys.flatMap((key) => [`recipientNames.${key}`, `recipients.${key}`]),
  ...Array.from({ length: 10 }, (_, index) => [`links.${index}.name`, `links.${index}.url`]).flat(),
]

/** The facts as the fields of the form, by their names: `links.0.url`, `recipients.shop`, a switch that is set as `on`. */
export function siteFormValues({ directions, links, recipients, recipientNames, ...facts }: SiteFacts) {
  const values: Record<string, string> = { directions: directions.join('\n') }
  for (const [name, fact] of Object.entries(facts)) values[name] = fact === true ? 'on' : fact || ''
  for (const [name, of] of Object.entries({ recipients, recipientNames })) {
    for (const [key, value] of Object.entries(of)) values[`${name}.${key}`] = value
  }
  for (const [index, { name, url }] of links.entries()) {
    values[`links.${index}.name`] = name
    values[`links.${index}.url`] = url
  }
  return values
}

/** What was sent, its links' addresses with the `https://` that was left out, for the form to go on with. */
export function withHttpsInLinks(values: Record<string, string>) {
  const fields = Object.entries(values)
  return Object.fromEntries(
    fields.map(([name, value]) => [name, /^links\.\d\.url$/.test(name) ? (withHttps(value) ?? value) : value]),
  )
}

/** What was sent, as `SiteForm` reads it. */
export function nestedSiteForm(values: Record<string, string>) {
  const rows = Object.keys(values).flatMap((name) => Number(/^links\.(\d)\./.exec(name)?.[1] ?? -1) + 1)
  const links = Array.from({ length: Math.max(0, ...rows) }, (_, index) => ({
    name: values[`links.${index}.name`] ?? '',
    url: values[`links.${index}.url`] ?? '',
  }))
  const nested = (name: string) => Object.fromEntries(recipientKeys.map((key) => [key, values[`${name}.${key}`] ?? '']))
  return { ...values, links, recipients: nested('recipients'), recipientNames: nested('recipientNames') }
}
