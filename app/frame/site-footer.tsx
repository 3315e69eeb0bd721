import { Link } from 'react-router'
import type { PublicFacts } from '../site/site.ts'
import styles from './site-footer.module.css'

const links = [
  { to: '/videoproduction', label: '動画の作成と公開' },
  { to: '/municipalarchitect', label: '建築の課題を解決するしくみ' },
  { to: '/webdesignincludebackend', label: 'ウェブデザインとシステム制作' },
  { to: '/vbacreate', label: 'VBAのご紹介' },
  { to: '/socialefficiency', label: '社会の効率化' },
  { to: '/tennisrelated', label: 'テニスサークル' },
  { to: '/mail', label: 'お問い合わせ' },
  { to: '/memberlist', label: 'メンバー一覧' },
  { to: '/login', label: '会員ログイン' },
  { to: '/privacy', label: 'プライバシーについて' },
]

/** The shop's address and the pages that the navigation bar does not name. */
export function SiteFooter({ site }: { site: PublicFacts }) {
  return (
    <footer className={styles.footer}>
      <div className={styles.columns}>
        <div>
          <p className={styles.name} data-mincho>
            {site.name}
          </p>
          <address className={styles.facts}>
            {site.postalCode && <>〒{site.postalCode} </>}
            {site.address}
            {site.telephone && (
              <>
                <br />
                電話 <a href={`tel:${site.telephone}`}>{site.telephone}</a>
              </>
            )}
          </address>
          {site.links.length > 0 && (
            <p>
              {site.links.map(({ name, url }) => (
                <a key={url} href={url} target="_blank" rel="noopener noreferrer">
                  {name}
                </a>
              ))}
            </p>
          )}
        </div>
        <nav aria-label="そのほかのページ">
          <ul className={styles.links}>
            {links.map(({ to, label }) => (
              <li key={to}>
                <Link to={to} viewTransition>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  )
}
