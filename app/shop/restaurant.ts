import { TABLE_PATH } from '../bookings/table-path.ts'
import { timeOfMinutes } from '../dates/japan.ts'
import { type Schedule, type Span, spansOf, weekdays } from '../hours/business-day.ts'
import type { UnusualDays } from '../hours/business-days.server.ts'
import { languageCode, pathIn } from '../languages/language.ts'
import type { PageLink } from '../pages/page.ts'
import { logoImageUrl } from '../settings/logo-image.ts'
import { parseMapPosition } from '../settings/map-position.ts'
import type { PublicSettings } from '../settings/site.ts'
import { TELEPHONE } from '../ui/telephones.tsx'
import { postalAddress } from './postal-address.ts'

export type RestaurantData = {
  site: PublicSettings
  schedule: Schedule | null
  unusualDays: UnusualDays[]
  menu: PageLink[]
  footer: PageLink[]
  origin: string
  sealDigest: string
}

const weekdaysInEnglish = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

export type RestaurantMetadata = NonNullable<ReturnType<typeof restaurantMetadata>>

// The list of all pages would load the schema library on every page.
const MENU_PATH = '/dining'

/** Returns the shop as https://schema.org/Restaurant, or null if it has no address. Omits open days without hours. */
export function restaurantMetadata({ site, schedule, unusualDays, origin, sealDigest, ...links }: RestaurantData) {
  if (!site.address) return null
  const week = schedule ? weeklyHours(schedule) : []
  const dated = unusualDays.flatMap(datedHours)
  const hasLink = (path: string) => [...links.menu, ...links.footer].some(({ to }) => to === path)
  const geo = parseMapPosition(site.mapPosition)
  return {
    '@context': 'https://schema.org',
    '@type': 'Restaurant',
    name: site.name,
    ...(site.description && { description: site.description }),
    url: `${origin}/`,
    image: `${origin}${logoImageUrl(sealDigest, 'share.jpg')}`,
    ...(site.cuisine && { servesCuisine: site.cuisine }),
    ...(site.priceRange && { priceRange: site.priceRange }),
    // The number already contains hyphens, and a number without + is Japanese.
    telephone: TELEPHONE.exec(site.telephone)?.[0].replace(/^0/, '+81-'),
    address: {
      '@type': 'PostalAddress',
      ...(site.postalCode && { postalCode: site.postalCode }),
      ...postalAddress(site.address),
    },
    ...(geo && { geo: { '@type': 'GeoCoordinates', ...geo } }),
    ...(hasLink(MENU_PATH) && { hasMenu: origin + pathIn(languageCode(), MENU_PATH) }),
    ...(hasLink(TABLE_PATH) && { acceptsReservations: origin + pathIn(languageCode(), TABLE_PATH) }),
    ...(site.links.length > 0 && { sameAs: site.links.map(({ url }) => url) }),
    ...(week.length + dated.length > 0 && { openingHoursSpecification: [...week, ...dated] }),
    // Google reads the dated hours above. Other consumers read the dated hours here.
    ...(dated.length > 0 && { specialOpeningHoursSpecification: dated }),
  }
}

function weeklyHours(schedule: Schedule) {
  return weekdays.flatMap((weekday, index) => {
    const { open, slots } = schedule[weekday]
    const hours = open ? spansOf(slots).map(openingHours) : [CLOSED]
    return specifications({ dayOfWeek: weekdaysInEnglish[index] }, hours)
  })
}

function datedHours({ first, last, spans }: UnusualDays) {
  const hours = spans.length > 0 ? spans.map(openingHours) : [CLOSED]
  return specifications({ validFrom: first, validThrough: last }, hours)
}

function specifications(days: Record<string, string | undefined>, hours: (typeof CLOSED)[]) {
  return hours.map((slotHours) => ({ '@type': 'OpeningHoursSpecification', ...days, ...slotHours }))
}

// Google's convention: a closed day opens and closes at midnight. A day that is open around the clock closes at 23:59.
const CLOSED = { opens: '00:00', closes: '00:00' }
const ALL_DAY = { opens: '00:00', closes: '23:59' }

function openingHours({ start, end }: Span) {
  if (end - start >= 1440) return ALL_DAY
  return { opens: timeOfMinutes(start), closes: timeOfMinutes(end % 1440) }
}
