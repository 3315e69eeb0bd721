import type { SiteRow } from '../../db/tables.ts'
import { refusalOfAdministration } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { type SettingsRecord, sampleLeftOf } from '../records/settings-record.server.ts'
import { SiteSettings } from './site.ts'
import { describeSite, recipientKeys } from './site-words.ts'

export const siteRecord: RecordType<SiteRow> = {
  subject: 'site',
  table: 'site',
  topicOf: () => 'site',
  refusal: refusalOfAdministration,
  describe: (row) => describeSite(settingsOf(row)),
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
  factsOf: (row) => flattenSettings(settingsOf(row)),
  columnsOf: (facts) => ({ id: 'site', facts: JSON.stringify(unflattenSettings(facts)) }),
  groups: [['wayPicture', 'wayPictureAlt']],
}

/**
 * Flattens the settings into fields. Each field is merged separately, such as the name or the e-mail address of a
 * recipient.
 */
export function flattenSettings(facts: Partial<SiteSettings>): Record<string, unknown> {
  const { recipients = {}, recipientNames = {}, ...others } = facts
  const flatten = (name: string, setting: object) =>
    Object.entries(setting).map(([key, value]) => [`${name}.${key}`, value])
  const entries = [...flatten('recipients', recipients), ...flatten('recipientNames', recipientNames)]
  return { ...others, ...Object.fromEntries(entries) }
}

export function unflattenSettings(facts: Record<string, unknown>): SiteSettings {
  const nest = (name: string) => Object.fromEntries(recipientKeys.map((key) => [key, facts[`${name}.${key}`]]))
  return SiteSettings.parse({ ...facts, recipients: nest('recipients'), recipientNames: nest('recipientNames') })
}
