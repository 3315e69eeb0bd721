import type { SiteRow } from '../../db/tables.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { type FactsRecord, sampleLeftOf } from '../records/facts.server.ts'
import type { Kind } from '../records/record.ts'
import { SiteFacts } from './site.ts'
import { recipientKeys, siteInWords } from './site-words.ts'

export const siteRecord: Kind<SiteRow> = {
  subject: 'site',
  table: 'site',
  key: 'id',
  topicOf: () => 'site',
  refusal: refusalOfAdministration,
  inWords: (row) => siteInWords(factsOf(row)),
  picturesOf: (row) => [factsOf(row).wayPicture],
  nameOf: () => 'お店の情報',
  placeOf: () => 'お店の情報',
  addressOf: () => '/site',
  sampleLeft: (now, sample) => sampleLeftOf(siteSettings, [now, sample]),
}

export function factsOf(row: Pick<SiteRow, 'facts'> | null | undefined): SiteFacts {
  return SiteFacts.parse(row ? JSON.parse(row.facts) : {})
}

export const siteSettings: FactsRecord<SiteRow, Record<string, unknown>> = {
  kind: siteRecord,
  id: 'site',
  factsOf: (row) => parts(factsOf(row)),
  columnsOf: (facts) => ({ id: 'site', facts: JSON.stringify(whole(facts)) }),
}

/** Flattens the settings into fields that are merged separately, among them each name and address of a recipient. */
export function parts(facts: Partial<SiteFacts>): Record<string, unknown> {
  const { recipients = {}, recipientNames = {}, ...others } = facts
  const flat = (name: string, fact: object) => Object.entries(fact).map(([key, value]) => [`${name}.${key}`, value])
  const entries = [...flat('recipients', recipients), ...flat('recipientNames', recipientNames)]
  return { ...others, ...Object.fromEntries(entries) }
}

/** Reverses `parts`. */
export function whole(facts: Record<string, unknown>): SiteFacts {
  const nested = (name: string) => Object.fromEntries(recipientKeys.map((key) => [key, facts[`${name}.${key}`]]))
  return SiteFacts.parse({ ...facts, recipients: nested('recipients'), recipientNames: nested('recipientNames') })
}
