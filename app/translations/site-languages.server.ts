import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { japanese, type Language } from '../languages/language.ts'
import { languages } from '../languages/languages.server.ts'

/**
 * Language of the site, with the groups of records that have translations into it. `offer` is the sentence that offers a
 * page in the language, and `dismiss` is the label of the button that removes the sentence.
 */
export type SiteLanguage = Pick<Language, 'code' | 'name'> & { groups: string[]; offer: string; dismiss: string }

const japaneseOffer = { offer: 'このページは日本語でもご覧いただけます。', dismiss: '閉じる' }

/** Returns Japanese and the languages of the guests' pages. */
export async function readLanguages(db: Kysely<Tables>): Promise<SiteLanguage[]> {
  const rows = await db.selectFrom('translations').select(['language', 'group']).where('texts', '<>', '{}').execute()
  const groupsOf = (language: string) => rows.filter((row) => row.language === language).map(({ group }) => group)
  return [{ ...japanese, ...japaneseOffer }, ...languages].map(({ code, name, offer, dismiss }) => ({
    ...{ code, name, offer, dismiss },
    groups: groupsOf(code),
  }))
}
