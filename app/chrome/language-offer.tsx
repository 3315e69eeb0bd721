import { X } from 'lucide'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { ignoreErrors } from '../accounts/local-flags.ts'
import { pathIn } from '../languages/language.ts'
import type { SiteLanguage } from '../languages/site-language.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './language-offer.module.css'

const DISMISSED = 'language offer dismissed'

/** Line that offers the page in another language, until the visitor follows or dismisses it once. */
export default function LanguageOffer({ code, offer, dismiss }: SiteLanguage) {
  const { pathname, search } = useLocation()
  const [isDismissed, setIsDismissed] = useState(() => ignoreErrors(() => localStorage.getItem(DISMISSED)) !== null)
  if (isDismissed) return null
  // Without storage, the next page offers the language again.
  const storeDismissal = () => ignoreErrors(() => localStorage.setItem(DISMISSED, 'yes'))
  return (
    <aside className={styles.line} lang={code} aria-label={offer}>
      <a href={pathIn(code, pathname) + search} hrefLang={code} onClick={storeDismissal}>
        {offer}
      </a>
      <button
        type="button"
        onClick={() => {
          storeDismissal()
          setIsDismissed(true)
        }}
      >
        <Icon of={X} size={20} label={dismiss} />
      </button>
    </aside>
  )
}
