import type { TranslationRow } from '../../db/tables.ts'
import { isTopic, type Topic } from '../live/topics.ts'
import {
  type CalendarRule,
  refusalOfAdministration,
  refusalOfCalendar,
  refusalOfCollection,
  type Visitor,
} from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import type { SettingsRecord } from '../records/settings-record.server.ts'
import { imagesIn, isCalendarGroup, type Translation, type Translations } from './translation.ts'

/** Returns why the visitor may not change the translations of a group, in Japanese. Returns null if permitted. */
export function refusalOfTranslations(visitor: Visitor, site: CalendarRule, group: string) {
  if (group === 'site' || group === 'pages') return refusalOfAdministration(visitor)
  return isCalendarGroup(group) ? refusalOfCalendar(visitor, site) : refusalOfCollection(visitor, group, site)
}

/** Record type of the translations into one language, for one group of records. */
export const translationRecord: RecordType<TranslationRow> = {
  subject: 'translation',
  table: 'translations',
  topicOf: ({ group }) => topicOfTranslations(group),
  refusal: (visitor, site, { group }) => refusalOfTranslations(visitor, site, group),
  scope: 'group',
  describe: ({ texts }) =>
    Object.fromEntries(Object.values(JSON.parse(texts) as Translations).map(({ source, text }) => [source, text])),
  imagesOf: ({ texts }) => Object.values(JSON.parse(texts) as Translations).flatMap(({ text }) => imagesIn(text)),
  titleOf: ({ language }) => `翻訳（${language}）`,
  placeOf: () => '翻訳',
  urlOf: ({ language, group }) => `/translations/${language}/${group}`,
}

export function topicOfTranslations(group: string): Topic {
  return isTopic(group) ? group : (calendarTopics[group] ?? 'site')
}

const calendarTopics: Record<string, Topic> = { days: 'specialDays' }

/** Returns the record of a group's translations. An absent or empty text means that the text is not translated. */
export function translationsOf(language: string, group: string): SettingsRecord<TranslationRow, Translations> {
  const id = `${language}:${group}`
  return {
    kind: translationRecord,
    id,
    factsOf: (row) => (row ? JSON.parse(row.texts) : {}),
    columnsOf: (texts) => ({ id, language, group, texts: JSON.stringify(withoutEmpty(texts)) }),
  }
}

function withoutEmpty(texts: Translations) {
  return Object.fromEntries(Object.entries(texts).filter(([, { text }]: [string, Translation]) => text !== ''))
}
