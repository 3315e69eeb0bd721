import { expect } from 'vitest'

export type MetadataItem = Record<string, unknown>

// The properties of https://schema.org that the site uses. Google requires the first group of each type.
const PROPERTIES: Record<string, [required: string[], optional: string[]]> = {
  Restaurant: [
    ['name', 'address'],
    [
      ...['description', 'url', 'image', 'servesCuisine', 'priceRange', 'telephone', 'geo', 'hasMenu', 'sameAs'],
      ...['openingHoursSpecification', 'specialOpeningHoursSpecification'],
    ],
  ],
  PostalAddress: [['streetAddress'], ['postalCode', 'addressCountry', 'addressRegion', 'addressLocality']],
  GeoCoordinates: [['latitude', 'longitude'], []],
  OpeningHoursSpecification: [
    ['opens', 'closes'],
    ['dayOfWeek', 'validFrom', 'validThrough'],
  ],
  Menu: [['name'], ['inLanguage', 'hasMenuSection', 'hasMenuItem']],
  MenuSection: [['name', 'hasMenuItem'], ['description']],
  MenuItem: [['name'], ['description', 'image', 'offers', 'suitableForDiet']],
  Offer: [['price', 'priceCurrency'], ['name']],
  Event: [
    ['name', 'startDate', 'location'],
    ['description', 'url', 'endDate', 'eventStatus', 'eventAttendanceMode', 'organizer'],
  ],
  Place: [['address'], ['name']],
  Organization: [['name'], ['url']],
}

/** Returns the metadata items of a page. Expects each item to have the required properties of its type, and no unknown ones. */
export function readMetadata(html: string): MetadataItem[] {
  const scripts = [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)]
  const items: MetadataItem[] = scripts.map(([, json = '']) => JSON.parse(json))
  for (const { '@context': context, '@graph': graph, ...item } of items) {
    expect(context).toBe('https://schema.org')
    for (const each of Array.isArray(graph) ? graph : [item]) expectKnownProperties(each)
  }
  return items
}

function expectKnownProperties({ '@type': type, '@id': _, ...item }: MetadataItem) {
  const [required, optional] = PROPERTIES[String(type)] ?? [[], []]
  expect(Object.keys(item), String(type)).toEqual(expect.arrayContaining(required))
  expect([...required, ...optional], String(type)).toEqual(expect.arrayContaining(Object.keys(item)))
  for (const value of Object.values(item).flat()) {
    expect(value).not.toBe('')
    if (typeof value === 'object') expectKnownProperties(value as MetadataItem)
  }
}
