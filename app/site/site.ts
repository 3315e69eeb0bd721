import { z } from 'zod'
import { paletteNames } from '../ui/palettes.ts'

const text = z.string().trim().default('')

/** The shop's facts, as its owner keeps them; an empty one hides its line. */
export const SiteFacts = z.object({
  name: z.string().trim().min(1).default('ダイニング結'),
  seal: z.string().trim().default('結'),
  palette: z.enum(paletteNames).default('shu'),
  description: text,
  postalCode: text,
  address: text,
  directions: z.array(z.string()).default([]),
  telephone: text,
  mapQuery: text,
  notice: text,
  hoursInWords: text,
  payment: text,
  parking: text,
  seats: text,
  links: z.array(z.object({ name: z.string(), url: z.url({ protocol: /^https?$/ }) })).default([]),
  recipients: z
    .object({ shop: z.string().default(''), circle: z.string().default(''), portfolio: z.string().default('') })
    .default({ shop: '', circle: '', portfolio: '' }),
  dishesAndCalendarByAdministratorsOnly: z.boolean().default(false),
  hideEditButtonsFromVisitors: z.boolean().default(false),
})
export type SiteFacts = z.infer<typeof SiteFacts>

/** What every visitor may know: all but the recipients' addresses. */
export type PublicFacts = Omit<SiteFacts, 'recipients'>

export function publicFacts({ recipients: _, ...facts }: SiteFacts): PublicFacts {
  return facts
}
