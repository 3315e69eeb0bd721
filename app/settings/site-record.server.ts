import type { SiteRow } from '../../db/tables.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { type FactsRecord, sampleLeftOf } from '../records/facts.server.ts'
import type { Kind } from '../records/record.ts'
import { SiteFacts } from './site.ts'
import { siteInWords } from './site-words.ts'

export const siteRecord: Kind<SiteRow> = {
  subject: 'site',
  table: 'site',
  key: 'id',
  topicOf: () => 'site',
  refusal: refusalOfAdministration,
  inWords: (row) => siteInWords(factsOf(row)),
  nameOf: () => 'お店の情報',
  placeOf: () => 'お店の情報',
  addressOf: () => '/site',
  sampleLeft: (now, sample) => sampleLeftOf(siteColumns, [now, sample]),
}

export function factsOf(row: Pick<SiteRow, 'facts'> | null | undefined): SiteFacts {
  return SiteFacts.parse(row ? JSON.parse(row.facts) : {})
}

export const siteColumns: Pick<FactsRecord<SiteRow, Record<string, unknown>>, 'factsOf' | 'columnsOf'> = {
  factsOf: (row) => parts(factsOf(row)),
  columnsOf: (facts) => ({ id: 'site', facts: JSON.stringify(whole(facts)) }),
}

// The name and the e-mail address of each recipient are merged separately.
const nested = ['recipients', 'recipientNames'] as const

/** Flattens the settings into fields that are merged separately. */
export function parts(facts: Partial<SiteFacts>): Record<string, unknown> {
  const entries = Object.entries(facts).flatMap(([name, fact]) =>
    (nested as readonly string[]).includes(name)
      ? Object.entries(fact as object).map(([of, value]) => [`${name}.${of}`, value])
      : [[name, fact]],
  )
  return Object.fromEntries(entries)
}

/** Reverses `parts`. */
export function whole(facts: Record<string, unknown>): SiteFacts {
  const groups = nested.map((name) => {
    const own = Object.entries(facts).filter(([of]) => of.startsWith(`${name}.`))
    return [name, Object.fromEntries(own.map(([of, value]) => [of.slice(name.length + 1), value]))]
  })
  return SiteFacts.parse({ ...facts, ...Object.fromEntries(groups) })
}
