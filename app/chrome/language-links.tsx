import { type UIMatch, useLocation } from 'react-router'
import { languageCode, pathIn } from '../languages/language.ts'
import type { SiteLanguage } from '../translations/site-languages.server.ts'
import type { Handle } from './page-meta.tsx'
import styles from './site-header.module.css'

/** Returns the languages in which guests can read a page, or an empty list if there is only Japanese. */
export function languagesOf(languages: SiteLanguage[] = [], { handle }: UIMatch) {
  const { translations } = (handle as Handle | undefined) ?? {}
  const found = languages.filter(
    ({ code, groups }) =>
      translations && (code === languages[0]?.code || translations === 'program' || groups.includes(translations)),
  )
  return found.length > 1 ? found : []
}

/** Links to the page in other languages. They load a document, because a document has one language. */
export function LanguageLinks({ languages, match }: { languages: SiteLanguage[]; match: UIMatch }) {
  const { pathname, search } = useLocation()
  return languagesOf(languages, match)
    .filter(({ code }) => code !== languageCode())
    .map(({ code, name }) => (
      <a key={code} className={styles.language} href={pathIn(code, pathname) + search} lang={code} hrefLang={code}>
        {name}
      </a>
    ))
}
