import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { japanese, type Language } from '../languages/language.ts'
import { languages } from '../languages/languages.server.ts'

/** Language of the site, with the groups of records that have translations into it. */
export type SiteLanguage = Pick<Language, 'code' | 'name'> & { groups: string[] }

/** Returns Japanese and the languages of the guests' pages. */
export async function readLanguages(db: Kysely<Tables>): Promise<SiteLanguage[]> {
  const rows = await db.selectFrom('translations').select(['language', 'group']).where('texts', '<>', '{}').execute()
  const groupsOf = (language: string) => rows.filter((row) => row.language === language).map(({ group }) => group)
  return [japanese, ...languages].map(({ code, name }) => ({ code, name, groups: groupsOf(code) }))
}
