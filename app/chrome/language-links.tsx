import { useEffect, useState } from 'react'
import { type UIMatch, useLocation, useRouteError } from 'react-router'
import { japanese, languageCode, pathIn } from '../languages/language.ts'
import { languagesOfPage, type SiteLanguage } from '../languages/site-language.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import type { Handle } from './page-meta.tsx'
import styles from './site-header.module.css'

// The component is lazy, because most visitors already read the language that they prefer.
const LanguageOffer = lazyComponent(async () => (await import('./language-offer.tsx')).default)

/** Offers the page in the language that the browser prefers, if guests can read the page in that language. */
export function PreferredLanguage({ languages, match }: { languages: SiteLanguage[]; match: UIMatch }) {
  const [preferred, setPreferred] = useState<readonly string[]>([])
  useEffect(() => setPreferred(navigator.languages), [])
  const found = languagesOfPage(languages, match.handle as Handle | undefined)
  const language = preferred
    .map((tag) => found.find(({ code }) => primaryOf(code) === primaryOf(tag)))
    .find((each) => each !== undefined)
  return language && language.code !== languageCode() && <LanguageOffer {...language} />
}

function primaryOf(tag: string) {
  return tag.split('-')[0]
}

/** Links to the page in other languages. They load a document, because a document has one language. */
export function LanguageLinks({ languages, match }: { languages: SiteLanguage[]; match: UIMatch }) {
  const location = useLocation()
  // The page in the other language would fail too, and all unknown paths share one cached page.
  const { pathname, search } = useRouteError() ? { pathname: '/', search: '' } : location
  const offered = languagesOfPage(languages, match.handle as Handle | undefined)
  return languages
    .filter((each) => each.code !== languageCode() && (each.code === japanese.code || offered.includes(each)))
    .map(({ code, name }) => (
      <a key={code} className={styles.language} href={pathIn(code, pathname) + search} lang={code} hrefLang={code}>
        {name}
      </a>
    ))
}
