import { z } from 'zod'
import { paletteNames } from '../ui/palettes.ts'

const text = z.string().trim().default('')
const optionalText = z.string().default('')
const recipients = (shop: string) =>
  z.object({ shop: z.string().default(shop), circle: optionalText, portfolio: optionalText }).prefault({})

/** Settings of the shop and site. Pages omit empty settings. */
export const SiteSettings = z.object({
  name: z.string().trim().min(1).default('お店'),
  seal: text,
  palette: z.enum(paletteNames).default('shu'),
  description: text,
  postalCode: text,
  address: text,
  directions: z.array(z.string()).default([]),
  telephone: text,
  mapQuery: text,
  /** URL of the uploaded map image; `wayPictureAlt` is its alternative text. */
  wayPicture: text,
  wayPictureAlt: text,
  notice: text,
  hoursInWords: text,
  /** Names of the two opening-hours slots of a day. */
  firstSlot: text,
  secondSlot: text,
  /** Kind of food, published as https://schema.org/servesCuisine. */
  cuisine: text,
  priceRange: text,
  payment: text,
  parking: text,
  seats: text,
  links: z.array(z.object({ name: z.string(), url: z.url({ protocol: /^https?$/ }) })).default([]),
  recipients: recipients(''),
  /** Names of the recipients in the contact form. A recipient without a name is not offered. */
  recipientNames: recipients('お店'),
  dishesAndCalendarByStaffOnly: z.boolean().default(false),
  showEditButtonsToVisitors: z.boolean().default(false),
  setupListHidden: z.boolean().default(false),
})
export type SiteSettings = z.infer<typeof SiteSettings>

/** Settings in the loader data of every page. Omits switches and the private e-mail addresses of recipients. */
export const PublicSettings = SiteSettings.omit({
  ...{ recipients: true, recipientNames: true, setupListHidden: true },
  ...{ dishesAndCalendarByStaffOnly: true, showEditButtonsToVisitors: true },
})
export type PublicSettings = z.infer<typeof PublicSettings>
