import { Link, useRouteLoaderData } from 'react-router'
import { japanese } from '../languages/language.ts'
import type { SiteLanguage } from '../languages/site-language.ts'

/** Links to the translations of a record. Renders nothing if the site is only in Japanese. */
export function TranslationLinks({ group, id }: { group: string; id: string }) {
  const root = useRouteLoaderData('root') as { languages?: SiteLanguage[] } | undefined
  const languages = root?.languages?.filter(({ code }) => code !== japanese.code) ?? []
  return languages.map(({ code }) => (
    <p key={code}>
      <Link to={translationsUrl(code, group, id)}>{translationsTitle(code)}</Link>
    </p>
  ))
}

export function translationsUrl(language: string, group: string, id: string) {
  return `/translations/${language}/${group}#${id}`
}

/** Returns the title of the translations into a language: 英語の文章. */
export function translationsTitle(language: string) {
  return `${new Intl.DisplayNames('ja', { type: 'language' }).of(language)}の文章`
}
