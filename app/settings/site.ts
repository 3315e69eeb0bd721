import { z } from 'zod'
import { paletteNames } from '../ui/palettes.ts'

const text = z.string().trim().default('')
const optionalText = z.string().default('')
const recipients = (shop: string) =>
  z.object({ shop: z.string().default(shop), circle: optionalText, portfolio: optionalText }).prefault({})

/** Settings of the shop and the site. Pages omit empty settings. */
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
  /** Latitude and longitude as typed, like `34.98765, 135.12345`. */
  mapPosition: text,
  /** URL of the uploaded map image. `wayPictureAlt` is the alternative text of the image. */
  wayPicture: text,
  wayPictureAlt: text,
  hoursInWords: text,
  /** Names of the first and the second opening-hours slot of a day. */
  firstSlot: text,
  secondSlot: text,
  /** The kind of food, published as https://schema.org/servesCuisine. */
  cuisine: text,
  priceRange: text,
  payment: text,
  parking: text,
  seats: text,
  links: z.array(z.object({ name: z.string(), url: z.url({ protocol: /^https?$/ }) })).default([]),
  recipients: recipients(''),
  /** Names of the recipients in the contact form. The form omits a recipient that has no name. */
  recipientNames: recipients('お店'),
  dishesAndCalendarByStaffOnly: z.boolean().default(false),
  showEditButtonsToVisitors: z.boolean().default(false),
  setupListHidden: z.boolean().default(false),
  otherLanguages: z.boolean().default(false),
})
export type SiteSettings = z.infer<typeof SiteSettings>

/** Settings in the loader data of every page. Omits switches and the private e-mail addresses of the recipients. */
export const PublicSettings = SiteSettings.omit({
  ...{ recipients: true, recipientNames: true, setupListHidden: true },
  ...{ dishesAndCalendarByStaffOnly: true, showEditButtonsToVisitors: true, otherLanguages: true },
})
export type PublicSettings = z.infer<typeof PublicSettings>
