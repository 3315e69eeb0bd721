import type { Slot } from '../business-days/business-day.ts'
import { slotsOf, timeInWords, weekdays } from '../business-days/business-day.ts'
import type { UnusualDays } from '../business-days/business-days.server.ts'
import type { Schedule } from '../business-days/schedule.ts'
import { sealPicture } from '../site/seal-picture.ts'
import type { PublicFacts } from '../site/site.ts'

export type KnownOfRestaurant = {
  site: PublicFacts
  schedule: Schedule | null
  unusualDays: UnusualDays[]
  origin: string
  /** Names the pictures of the shop's seal. */
  sealDigest: string
}

const weekdaysInEnglish = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** The shop for search engines: https://schema.org/Restaurant. Of a day that is open without hours nothing can be said. */
export function restaurant({ site, schedule, unusualDays, origin, sealDigest }: KnownOfRestaurant) {
  return {
    '@context': 'https://schema.org',
    '@type': 'Restaurant',
    name: site.name,
    ...(site.description && { description: site.description }),
    url: `${origin}/`,
    image: `${origin}${sealPicture(sealDigest, 'share.jpg')}`,
    ...(site.cuisine && { servesCuisine: site.cuisine }),
    ...(site.telephone && { telephone: site.telephone }),
    ...(site.address && {
      address: {
        '@type': 'PostalAddress',
        addressCountry: 'JP',
        postalCode: site.postalCode,
        streetAddress: site.address,
      },
    }),
    ...(schedule && {
      openingHoursSpecification: weekdays.flatMap((weekday, index) => {
        const row = schedule[weekday]
        return (row.open_or_close === 'close' ? [CLOSED] : slotsOf(row).map(openingHours)).map((hours) => ({
          '@type': 'OpeningHoursSpecification',
          dayOfWeek: weekdaysInEnglish[index],
          ...hours,
        }))
      }),
    }),
    ...(unusualDays.length > 0 && {
      specialOpeningHoursSpecification: unusualDays.flatMap(({ first, last, slots }) =>
        (slots.length > 0 ? slots.map(openingHours) : [CLOSED]).map((hours) => ({
          '@type': 'OpeningHoursSpecification',
          validFrom: first,
          validThrough: last,
          ...hours,
        })),
      ),
    }),
  }
}

// As Google reads it: closed all day opens and closes at midnight, open all day closes a minute before it.
const CLOSED = { opens: '00:00', closes: '00:00' }
const ALL_DAY = { opens: '00:00', closes: '23:59' }

function openingHours({ start, end }: Slot) {
  if (end - start >= 1440) return ALL_DAY
  return { opens: timeInWords(start).padStart(5, '0'), closes: timeInWords(end % 1440).padStart(5, '0') }
}
