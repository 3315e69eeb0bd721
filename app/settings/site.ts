import { z } from 'zod'
import { paletteNames } from '../ui/palettes.ts'

const text = z.string().trim().default('')
const optionalText = z.string().default('')
const recipients = (shop: string) =>
  z.object({ shop: z.string().default(shop), circle: optionalText, portfolio: optionalText }).prefault({})

/** Settings in the loader data of every page. Pages omit empty settings. */
export const PublicSettings = z.object({
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
})
export type PublicSettings = z.infer<typeof PublicSettings>

/** All settings of the shop and the site, with the private e-mail addresses of the recipients. */
export const SiteSettings = PublicSettings.extend({
  recipients: recipients(''),
  /** Names of the recipients in the contact form. The form omits a recipient that has no name. */
  recipientNames: recipients('お店'),
  dishesAndCalendarByStaffOnly: z.boolean().default(false),
  showEditButtonsToVisitors: z.boolean().default(false),
  setupListHidden: z.boolean().default(false),
  otherLanguages: z.boolean().default(false),
  /** Whether guests can ask for a table at /table. Without it, the pages of tables respond with 404. */
  takesTableRequests: z.boolean().default(false),
  /** Maximum number of guests who arrive in each half hour, and on each day. */
  tableGuestsPerHalfHour: z.number().default(8),
  tableGuestsPerDay: z.number().default(40),
  /** Largest party that can ask on the site. Larger parties are asked to telephone. */
  tableMaxParty: z.number().default(6),
  tableDaysAhead: z.number().default(60),
  /** A request arrives at least this long before its time. */
  tableHoursBefore: z.number().default(3),
  /** The last time for a table, in minutes before the end of a slot. */
  tableMinutesToClosing: z.number().default(60),
  /** Days without requests: YYYY-MM-DD, or a weekday such as 月曜日. */
  tableDaysWithout: z.array(z.string()).default([]),
  /** Days after the visit until the guest's data is deleted. */
  tableRetentionDays: z.number().default(90),
})
export type SiteSettings = z.infer<typeof SiteSettings>
