import { japanese, type Language } from './language.ts'

/**
 * Language of guests' pages, with the groups of records that have translations into it. `offer` is the sentence that
 * offers a page in the language, and `dismiss` is the label of the button that removes the sentence.
 */
export type SiteLanguage = Pick<Language, 'code' | 'name'> & { groups: string[]; offer: string; dismiss: string }

/** Returns the languages in which guests can read a page, or an empty list if there is only Japanese. */
export function languagesOfPage(languages: SiteLanguage[], { translations }: { translations?: string } = {}) {
  const found = languages.filter(
    ({ code, groups }) =>
      code === japanese.code || translations === 'program' || (translations && groups.includes(translations)),
  )
  return translations && found.length > 1 ? found : []
}
