import type { SiteRow } from '../../db/tables.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { type FactsRecord, sampleLeftOf } from '../records/facts.server.ts'
import type { Kind } from '../records/record.ts'
import { SiteFacts } from './site.ts'
import { siteInWords } from './site-words.ts'

/** The shop's facts as a record: there is one. */
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

/** The facts kept in a row, or in what the history keeps of one; the defaults where there is none. */
export function factsOf(row: Pick<SiteRow, 'facts'> | null | undefined): SiteFacts {
  return SiteFacts.parse(row ? JSON.parse(row.facts) : {})
}

/** How the facts are kept in their row. */
export const siteColumns: Pick<FactsRecord<SiteRow, Record<string, unknown>>, 'factsOf' | 'columnsOf'> = {
  factsOf: (row) => parts(factsOf(row)),
  columnsOf: (facts) => ({ id: 'site', facts: JSON.stringify(whole(facts)) }),
}

// Each recipient of mail, its name and who reads it, is a fact of its own.
const nested = ['recipients', 'recipientNames'] as const

/** The facts of a site as those that somebody may change by themselves, and back. */
export function parts(facts: Partial<SiteFacts>): Record<string, unknown> {
  const entries = Object.entries(facts).flatMap(([name, fact]) =>
    (nested as readonly string[]).includes(name)
      ? Object.entries(fact as object).map(([of, value]) => [`${name}.${of}`, value])
      : [[name, fact]],
  )
  return Object.fromEntries(entries)
}

/** The facts that `parts` took apart. */
export function whole(facts: Record<string, unknown>): SiteFacts {
  const groups = nested.map((name) => {
    const own = Object.entries(facts).filter(([of]) => of.startsWith(`${name}.`))
    return [name, Object.fromEntries(own.map(([of, value]) => [of.slice(name.length + 1), value]))]
  })
  return SiteFacts.parse({ ...facts, ...Object.fromEntries(groups) })
}
