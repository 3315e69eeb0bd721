import { z } from 'zod'
import { paletteNames } from '../ui/palettes.ts'

const text = z.string().trim().default('')

/** The shop's facts, as its owner keeps them; an empty one hides its line. */
export const SiteFacts = z.object({
  name: z.string().trim().min(1).default('お店'),
  seal: text,
  palette: z.enum(paletteNames).default('shu'),
  description: text,
  postalCode: text,
  address: text,
  directions: z.array(z.string()).default([]),
  telephone: text,
  mapQuery: text,
  /** A picture of the way here, by the address of an uploaded one, and what it shows. */
  wayPicture: text,
  wayPictureAlt: text,
  notice: text,
  hoursInWords: text,
  /** What the two stretches of a day are called. */
  firstSlot: text,
  secondSlot: text,
  /** https://schema.org/servesCuisine */
  cuisine: text,
  priceRange: text,
  payment: text,
  parking: text,
  seats: text,
  links: z.array(z.object({ name: z.string(), url: z.url({ protocol: /^https?$/ }) })).default([]),
  recipients: z
    .object({ shop: z.string().default(''), circle: z.string().default(''), portfolio: z.string().default('') })
    .default({ shop: '', circle: '', portfolio: '' }),
  /** What visitors choose from; one without a name is not offered. */
  recipientNames: z
    .object({ shop: z.string().default('お店'), circle: z.string().default(''), portfolio: z.string().default('') })
    .default({ shop: 'お店', circle: '', portfolio: '' }),
  dishesAndCalendarByStaffOnly: z.boolean().default(false),
  showEditButtonsToVisitors: z.boolean().default(false),
  /** Whether the list of what is left to set up was put away. */
  setupListHidden: z.boolean().default(false),
})
export type SiteFacts = z.infer<typeof SiteFacts>

/** The facts that every page is made with: neither recipients, whose addresses are private, nor switches. */
export const PublicFacts = SiteFacts.omit({
  ...{ recipients: true, recipientNames: true, setupListHidden: true },
  ...{ dishesAndCalendarByStaffOnly: true, showEditButtonsToVisitors: true },
})
export type PublicFacts = z.infer<typeof PublicFacts>
