import type { SiteRow } from '../../db/tables.ts'
import { refusalOfAdministration } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { type SettingsRecord, sampleLeftOf } from '../records/settings-record.server.ts'
import { SiteSettings } from './site.ts'
import { recipientKeys, siteInWords } from './site-words.ts'

export const siteRecord: RecordType<SiteRow> = {
  subject: 'site',
  table: 'site',
  key: 'id',
  topicOf: () => 'site',
  refusal: refusalOfAdministration,
  describe: (row) => siteInWords(settingsOf(row)),
  imagesOf: (row) => [settingsOf(row).wayPicture],
  titleOf: () => 'お店の情報',
  placeOf: () => 'お店の情報',
  urlOf: () => '/site',
  sampleLeft: (now, sample) => sampleLeftOf(siteSettings, [now, sample]),
}

export function settingsOf(row: Pick<SiteRow, 'facts'> | null | undefined): SiteSettings {
  return SiteSettings.parse(row ? JSON.parse(row.facts) : {})
}

export const siteSettings: SettingsRecord<SiteRow, Record<string, unknown>> = {
  kind: siteRecord,
  id: 'site',
  factsOf: (row) => parts(settingsOf(row)),
  columnsOf: (facts) => ({ id: 'site', facts: JSON.stringify(whole(facts)) }),
}

/** Flattens the settings into fields that are merged separately, such as the name and e-mail address of a recipient. */
export function parts(facts: Partial<SiteSettings>): Record<string, unknown> {
  const { recipients = {}, recipientNames = {}, ...others } = facts
  const flat = (name: string, fact: object) => Object.entries(fact).map(([key, value]) => [`${name}.${key}`, value])
  const entries = [...flat('recipients', recipients), ...flat('recipientNames', recipientNames)]
  return { ...others, ...Object.fromEntries(entries) }
}

/** Converts the result of `parts` back to settings. */
export function whole(facts: Record<string, unknown>): SiteSettings {
  const nested = (name: string) => Object.fromEntries(recipientKeys.map((key) => [key, facts[`${name}.${key}`]]))
  return SiteSettings.parse({ ...facts, recipients: nested('recipients'), recipientNames: nested('recipientNames') })
}
