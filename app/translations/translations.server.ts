import type { Db } from '../../db/tables.ts'
import { dayInJapan } from '../dates/japan.ts'
import { isJapanese, languageCode, t } from '../languages/language.ts'
import { contextOf, type RequestContext, readOr } from '../request.ts'
import { keyOf, type TextField, type TextFields, type Translation, type Translations } from './translation.ts'
import { translationsOf } from './translation-record.server.ts'

/** Returns the translations of a group with their version, which is 0 before the first save. */
export async function readTranslations(db: Db, language: string, group: string) {
  const { id, factsOf } = translationsOf(language, group)
  const row = await db.selectFrom('translations').selectAll().where('id', '=', id).executeTakeFirst()
  return { version: row?.version ?? 0, translations: factsOf(row ?? null) }
}

const noTranslations = { version: 0, translations: {} as Translations }

type Translator = <Row extends object>(id: string, row: Row, fields: TextFields) => Row

/**
 * Returns a function that replaces the fields of a record by their translations into the language of the page. Fields
 * without a translation stay Japanese.
 */
export async function readTranslator(context: RequestContext, group: string): Promise<Translator> {
  if (isJapanese()) return (_, row) => row
  const { db } = contextOf(context)
  const { translations } = await readOr(context, noTranslations, () => readTranslations(db, languageCode(), group))
  return (id, row, fields) => {
    const translated = Object.entries<TextField<unknown>>(fields).flatMap(([name, field]) => {
      const translation = translations[keyOf(id, name)]
      const value = row[name as keyof typeof row]
      if (!translation || field.read(value) === '') return []
      return [[name, field.write(textOf(translation, field, value), value)]]
    })
    return { ...row, ...Object.fromEntries(translated) }
  }
}

function textOf(translation: Translation, field: TextField<unknown>, value: unknown) {
  const { text, source, at } = translation
  if (!field.isDated || source === field.read(value)) return text
  const day = new Intl.DateTimeFormat(languageCode(), { dateStyle: 'medium', timeZone: 'UTC' })
  return t('{text}（{day}現在）', { text, day: day.format(new Date(dayInJapan(Date.parse(at)))) })
}
