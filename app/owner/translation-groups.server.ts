import { data } from 'react-router'
import { z } from 'zod'
import { eventTextFields, type ShownEvent, titleOfEvent, translationIdOf } from '../calendar/event-format.ts'
import { listEvents } from '../calendar/events.server.ts'
import { type Card, type CollectionName, collectionNames } from '../cards/card.ts'
import { cardTextFields } from '../cards/card-texts.ts'
import { listCardsByCollection, listSectionsOf } from '../cards/cards.server.ts'
import { readCollectionName } from '../cards/cards-of-page.server.ts'
import { groupBySection } from '../cards/sections-of-cards.ts'
import { dayInJapan, timeInJapan } from '../dates/japan.ts'
import { textField } from '../forms/form-rules.ts'
import { type ListedSpecialDay, listSpecialDays } from '../hours/business-days.server.ts'
import { dayTextFields } from '../hours/day-texts.ts'
import { titleOfDay } from '../hours/hours-records.server.ts'
import type { Language } from '../languages/language.ts'
import { languages } from '../languages/languages.server.ts'
import type { Notice } from '../notices/notice.ts'
import { noticeTextFields } from '../notices/notice-form.ts'
import { listNotices } from '../notices/notices.server.ts'
import { isOwnPageId } from '../pages/own-page.ts'
import { builtInPages } from '../pages/page.ts'
import { pageTextFields } from '../pages/page-texts.ts'
import { fieldsOf } from '../pages/page-words.ts'
import { type KnownPage, listPages } from '../pages/pages.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import type { Section } from '../sections/section.ts'
import { sectionTextFields } from '../sections/section.ts'
import { readSite, readSiteToEdit } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { flattenSettings } from '../settings/site-record.server.ts'
import { siteTextFields } from '../translations/site-texts.server.ts'
import { isLong, keyOf, sourceOf, type TextField, type TextFields } from '../translations/translation.ts'
import {
  refusalOfTranslations,
  topicOfTranslations,
  translationsOf,
} from '../translations/translation-record.server.ts'
import type { readTranslations } from '../translations/translations.server.ts'
import { maxCodeUnits, truncate } from '../ui/characters.ts'
import { cleanLine, cleanText } from '../ui/typed-text.ts'

/** Record with texts. `name` is its heading, and `values` are the Japanese values of `fields`. */
type TextRecord = { id: string; name: string; values: object; fields: TextFields }

type TextGroup = { name: string; label: string; listRecords: () => Promise<TextRecord[]> }

/** Returns all groups of texts. A new group is one line here, and its permission is in `translationRecord`. */
async function listTextGroups(context: RequestContext): Promise<TextGroup[]> {
  const { db, clock, visitor } = contextOf(context)
  const today = dayInJapan(clock())
  const pages = await listPages(db)
  let listedCards: ReturnType<typeof listCardsByCollection> | undefined
  const listCardsOnce = () => (listedCards ??= listCardsByCollection(db))
  const cardGroups = await Promise.all(
    [...collectionNames, ...pages.flatMap(({ id }) => (isOwnPageId(id) ? [id] : []))].map(async (name) => ({
      name,
      label: await readCollectionName(context, name),
      listRecords: async () => textsOfCards(name, (await listCardsOnce())(name), await listSectionsOf(db, name)),
    })),
  )
  const dishes = cardGroups.filter(({ name }) => name === 'dining')
  return [
    { name: 'site', label: 'お店の情報', listRecords: async () => [textsOfSite((await readSiteToEdit(db)).facts)] },
    { name: 'pages', label: 'ページ', listRecords: async () => pages.map(textsOfPage) },
    ...dishes,
    {
      name: 'notices',
      label: 'お知らせ',
      listRecords: async () => (await listNotices(db, timeInJapan(clock()))).map(textsOfNotice),
    },
    {
      name: 'events',
      label: '予定',
      listRecords: async () => {
        const events = (await listEvents(db, today, '9999', visitor)).map(textsOfEvent)
        return events.filter(({ id }, index) => events.findIndex((each) => each.id === id) === index)
      },
    },
    { name: 'days', label: '特別営業日', listRecords: async () => (await listSpecialDays(db, today)).map(textsOfDay) },
    ...cardGroups.filter((group) => !dishes.includes(group)),
  ]
}

function textsOfSite(facts: SiteSettings): TextRecord {
  return { id: 'site', name: 'お店の情報', values: flattenSettings(facts), fields: siteTextFields }
}

function textsOfPage(page: KnownPage): TextRecord {
  const shown: string[] = fieldsOf(page.id)
  const fields = Object.fromEntries(Object.entries(pageTextFields).filter(([name]) => shown.includes(name)))
  return { id: page.id, name: page.label || page.title || builtInPages.home.label, values: page, fields }
}

function textsOfNotice(notice: Notice): TextRecord {
  return { id: notice.id, name: truncate(notice.text, 30), values: notice, fields: noticeTextFields }
}

function textsOfEvent(event: ShownEvent): TextRecord {
  return { id: translationIdOf(event), name: titleOfEvent(event), values: event, fields: eventTextFields }
}

function textsOfDay(day: ListedSpecialDay): TextRecord {
  return { id: day.day, name: titleOfDay(day), values: day, fields: dayTextFields }
}

function textsOfCards(collection: CollectionName, cards: Card[], sections: Section[]): TextRecord[] {
  const cardFields = cardTextFields(collection)
  return groupBySection(sections, cards).flatMap(({ section, cards }) => [
    ...(section ? [{ id: section.id, name: section.name, values: section, fields: sectionTextFields }] : []),
    ...cards.map((card) => ({ id: card.id, name: card.title || card.text1, values: card, fields: cardFields })),
  ])
}

/**
 * Text of a record and its translation. `key` is its key in `Translations`. `before` is the Japanese text that was
 * translated, if the Japanese text has changed since. `standard` is the translation of a text of the program.
 */
export type TranslatedText = {
  key: string
  label: string
  japanese: string
  most: number
  text: string
  before?: string
  standard?: string
}

export type TranslatedRecord = { id: string; name: string; texts: TranslatedText[] }

type Readable = { language: Language; group: TextGroup; stored: Awaited<ReturnType<typeof readTranslations>> }

/** Returns the texts of a group that are not empty, and the rules for their translations. */
export async function readTexts({ language, group, stored: { version, translations } }: Readable) {
  const rules: Record<string, z.ZodType<string | undefined>> = {}
  const records = (await group.listRecords()).flatMap(({ id, name, values, fields }): TranslatedRecord[] => {
    const texts = Object.entries<TextField<unknown>>(fields).flatMap(([fieldName, field]): TranslatedText[] => {
      const value = (values as Record<string, unknown>)[fieldName]
      const japanese = field.read(value)
      if (japanese === '') return []
      const key = keyOf(id, fieldName)
      const { text = '', source = japanese } = translations[key] ?? {}
      const standard = group.name === 'pages' && language.texts[japanese]
      rules[key] = ruleOf(field, value)
      rules[sourceOf(key)] = z.string().max(maxCodeUnits(field.most)).optional()
      return [
        {
          ...{ key, label: field.label, japanese, most: 2 * field.most, text },
          ...(source !== japanese && { before: source }),
          ...(typeof standard === 'string' && { standard }),
        },
      ]
    })
    return texts.length > 0 ? [{ id, name, texts }] : []
  })
  return { version, records, schema: z.object(rules) }
}

function ruleOf({ label, most, refusal }: TextField<unknown>, value: unknown) {
  return textField(label, 2 * most, isLong(2 * most) ? cleanText : cleanLine)
    .superRefine((text, context) => {
      const message = text === '' ? null : refusal?.(text, value)
      if (message) context.addIssue(message)
    })
    .optional()
}

/** Returns the language and the group of a URL. Throws `deny(reason)` if the visitor may not change the translations. */
export async function openGroup(
  context: RequestContext,
  params: { language?: string | undefined; group?: string | undefined },
  deny: (refusal: string) => unknown,
) {
  const { db, visitor } = contextOf(context)
  const refusal = refusalOfTranslations(visitor, await readSite(db), params.group ?? '')
  if (refusal) throw deny(refusal)
  const language = languages.find(({ code }) => code === params.language)
  const group = (await listTextGroups(context)).find(({ name }) => name === params.group)
  if (!language || !group) throw data(null, 404)
  return { language, group }
}

/** Returns the groups whose translations the visitor may change, with their topic and records, in each language. */
export async function listTranslations(context: RequestContext) {
  const { db, visitor } = contextOf(context)
  const site = await readSite(db)
  const groups = (await listTextGroups(context)).filter(({ name }) => !refusalOfTranslations(visitor, site, name))
  const rows = new Map((await db.selectFrom('translations').selectAll().execute()).map((row) => [row.id, row]))
  const found = []
  for (const language of languages)
    for (const group of groups) {
      const { id, factsOf } = translationsOf(language.code, group.name)
      const row = rows.get(id) ?? null
      const stored = { version: row?.version ?? 0, translations: factsOf(row) }
      const { records } = await readTexts({ language, group, stored })
      const topic = topicOfTranslations(group.name)
      found.push({ language: language.code, group: group.name, label: group.label, topic, records })
    }
  return found
}

/** Returns the records with a translation that is older than the Japanese text. */
export function listStaleRecords(groups: Awaited<ReturnType<typeof listTranslations>>) {
  return groups.flatMap(({ language, group, records }) =>
    records
      .filter(({ texts }) => texts.some(({ before }) => before !== undefined))
      .map(({ id, name }) => ({ language, group, id, name })),
  )
}
