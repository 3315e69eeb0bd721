import { Link } from 'react-router'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import type { PageLink } from '../pages/page.ts'
import type { PublicSettings } from '../settings/site.ts'
import { Telephones } from '../ui/telephones.tsx'
import styles from './site-footer.module.css'

export function SiteFooter({ site, links }: { site: PublicSettings; links: PageLink[] }) {
  return (
    <footer className={styles.footer}>
      <div className={styles.columns}>
        <div>
          <p className={styles.name} data-mincho>
            {words(site.name)}
          </p>
          <address className={styles.facts}>
            <span>{words(`${site.postalCode ? `〒${site.postalCode} ` : ''}${site.address}`)}</span>
            {site.telephone && (
              <p>
                {`${t('電話')} `}
                <Telephones text={site.telephone} />
              </p>
            )}
          </address>
          {site.links.length > 0 && (
            <ul className={styles.elsewhere}>
              {site.links.map(({ name, url }) => (
                <li key={url}>
                  <a href={url} target="_blank" rel="noopener noreferrer">
                    {words(name)}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
        {links.length > 0 && (
          <nav aria-label={t('そのほかのページ')}>
            <ul className={styles.links}>
              {links.map(({ to, label }) => (
                <li key={to}>
                  <Link to={to} viewTransition>
                    {words(label)}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
    </footer>
  )
}
