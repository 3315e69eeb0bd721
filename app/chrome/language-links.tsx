import { type UIMatch, useLocation } from 'react-router'
import { languageCode, pathIn } from '../languages/language.ts'
import { languagesOfPage, type SiteLanguage } from '../languages/site-language.ts'
import type { Handle } from './page-meta.tsx'
import styles from './site-header.module.css'

/** Links to the page in other languages. They load a document, because a document has one language. */
export function LanguageLinks({ languages, match }: { languages: SiteLanguage[]; match: UIMatch }) {
  const { pathname, search } = useLocation()
  return languagesOfPage(languages, match.handle as Handle | undefined)
    .filter(({ code }) => code !== languageCode())
    .map(({ code, name }) => (
      <a key={code} className={styles.language} href={pathIn(code, pathname) + search} lang={code} hrefLang={code}>
        {name}
      </a>
    ))
}
