import type { MetaDescriptor } from 'react-router'
import { type DayState, slotsOf, timeInWords, weekdays } from '../business-days/business-day.ts'
import type { Schedule } from '../business-days/schedule.ts'
import type { PublicFacts } from './site.ts'

type Known = { site: PublicFacts; schedule: Schedule | null; origin: string }
type Page = {
  title?: string
  description?: string
  path: string /** Forms and members' screens say no. */
  listed?: boolean
  /** Coming days: those that differ from the week are told to search engines. */
  days?: DayState[] | undefined
}

/** Title, description, canonical address, share picture and structured data of a page; `root` is the root loader's data. */
export function pageMeta(
  root: Known | undefined,
  { title, description, path, listed = true, days = [] }: Page,
): MetaDescriptor[] {
  if (!root) return []
  const { site, origin } = root
  const whole = title ? `${title} | ${site.name}` : `${site.name} | 京都の朝ごはんとお昼`
  const about = description ?? site.description
  const address = `${origin}${path}`
  return [
    { title: whole },
    { name: 'description', content: about },
    { tagName: 'link', rel: 'canonical', href: address },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: site.name },
    { property: 'og:title', content: whole },
    { property: 'og:description', content: about },
    { property: 'og:url', content: address },
    { property: 'og:image', content: `${origin}/art/share-1200.jpg` },
    { property: 'og:locale', content: 'ja_JP' },
    { name: 'twitter:card', content: 'summary_large_image' },
    ...(listed ? structuredData(root, days) : [{ name: 'robots', content: 'noindex' }]),
  ]
}

const weekdaysInEnglish = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

// For search engines, who read what the server sends: a browser need not be able to make it.
function structuredData(root: Known, days: DayState[]) {
  return import.meta.env.SSR ? [{ 'script:ld+json': restaurant(root, days) }] : []
}

// https://schema.org/Restaurant
function restaurant({ site, schedule, origin }: Known, days: DayState[]) {
  const special = days.filter(({ source }) => source !== 'weekday' && source !== 'nothing').flatMap(specialHours)
  return {
    '@context': 'https://schema.org',
    '@type': 'Restaurant',
    name: site.name,
    description: site.description,
    url: `${origin}/`,
    image: `${origin}/art/share-1200.jpg`,
    servesCuisine: 'Japanese',
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
      openingHoursSpecification: weekdays.flatMap((weekday, index) =>
        schedule[weekday].open_or_close === 'close'
          ? []
          : slotsOf(schedule[weekday]).map(({ start, end }) => ({
              '@type': 'OpeningHoursSpecification',
              dayOfWeek: weekdaysInEnglish[index],
              opens: timeInWords(start).padStart(5, '0'),
              closes: timeInWords(end % 1440).padStart(5, '0'),
            })),
      ),
    }),
    ...(special.length > 0 && { specialOpeningHoursSpecification: special }),
  }
}

// A closed day is one that opens and closes at midnight; where the hours are not said, nothing is.
function specialHours({ day, state, slots }: DayState) {
  const shown = state === 'closed' ? [{ start: 0, end: 0 }] : slots
  return shown.map(({ start, end }) => ({
    '@type': 'OpeningHoursSpecification',
    validFrom: day,
    validThrough: day,
    opens: timeInWords(start).padStart(5, '0'),
    closes: timeInWords(end % 1440).padStart(5, '0'),
  }))
}
