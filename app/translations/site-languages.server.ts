import type { Db } from '../../db/tables.ts'
import { japanese } from '../languages/language.ts'
import { languages } from '../languages/languages.server.ts'
import type { SiteLanguage } from '../languages/site-language.ts'
import type { SiteSettings } from '../settings/site.ts'

const japaneseOffer = { offer: 'このページは日本語でもご覧いただけます。', dismiss: '閉じる' }

/** Returns Japanese and the languages of the guests' pages, or an empty list if the site is only in Japanese. */
export async function readLanguages(
  db: Db,
  { otherLanguages }: Pick<SiteSettings, 'otherLanguages'>,
): Promise<SiteLanguage[]> {
  if (!otherLanguages) return []
  const rows = await db.selectFrom('translations').select(['language', 'group']).where('texts', '<>', '{}').execute()
  const groupsOf = (language: string) => rows.filter((row) => row.language === language).map(({ group }) => group)
  return [{ ...japanese, ...japaneseOffer }, ...languages].map(({ code, name, offer, dismiss }) => ({
    ...{ code, name, offer, dismiss },
    groups: groupsOf(code),
  }))
}
