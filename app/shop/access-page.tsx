import { MapPin } from 'lucide'
import { useState } from 'react'
import { TableLink } from '../bookings/table-link.tsx'
import { languageCode, t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage } from '../pages/pages.server.ts'
import { mayEditSite } from '../permissions.ts'
import { isMapImage, MAP_IMAGE } from '../settings/map-image.ts'
import type { PublicSettings } from '../settings/site.ts'
import button from '../ui/button.module.css'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import page from '../ui/page.module.css'
import { Telephones } from '../ui/telephones.tsx'
import type { Route } from './+types/access-page.ts'
import styles from './access-page.module.css'
import { DrawnStreets } from './drawn-streets.tsx'

export const handle = { cache: 'minute', translations: 'site', inSitemap: true }

export async function loader({ context }: Route.LoaderArgs) {
  return { about: await openPage(context, 'access') }
}

export default function AccessPage({ matches, loaderData }: Route.ComponentProps) {
  const { site, visitor } = matches[0].loaderData
  const hasDetails = Boolean(site.address || site.telephone || site.directions.length > 0 || site.parking)
  const hasMap = Boolean(site.mapQuery || isMapImage(site.wayPicture))
  return (
    <div className={page.page}>
      <LiveUpdates topics={['site']} />
      <PageHead page={loaderData.about} />
      {!hasDetails && !hasMap && <InPreparation mayEdit={mayEditSite(visitor)} />}
      <div className={hasDetails && hasMap ? styles.columns : styles.column}>
        {hasDetails && <ContactDetails site={site} />}
        {hasMap && <MapSection site={site} />}
      </div>
    </div>
  )
}

function InPreparation({ mayEdit }: { mayEdit: boolean }) {
  return (
    <>
      <p>{t('住所と道順は、ただいま準備しております。')}</p>
      {mayEdit && (
        <p className={page.actions}>
          <LinkButton to="/site">お店の情報に入力する</LinkButton>
        </p>
      )}
    </>
  )
}

function ContactDetails({ site }: { site: PublicSettings }) {
  return (
    <div>
      {site.address && (
        <>
          <h2>{t('住所')}</h2>
          <address className={styles.large}>
            {site.postalCode && <span>{`〒${site.postalCode}`}</span>}
            <br />
            <span>{words(site.address)}</span>
          </address>
        </>
      )}
      {site.telephone && (
        <>
          <h2>{t('電話')}</h2>
          <p className={styles.large}>
            <Telephones text={site.telephone} />
          </p>
        </>
      )}
      <TableLink />
      {site.directions.length > 0 && (
        <>
          <h2>{t('道順')}</h2>
          <ol className={styles.directions}>
            {site.directions.map((direction) => (
              <li key={direction}>{words(direction)}</li>
            ))}
          </ol>
        </>
      )}
      {site.parking && (
        <>
          <h2>{t('駐車場')}</h2>
          <p>{words(site.parking)}</p>
        </>
      )}
    </div>
  )
}

function MapSection({ site }: { site: PublicSettings }) {
  const { wayPicture, wayPictureAlt, mapQuery, name } = site
  const hasPicture = isMapImage(wayPicture)
  return (
    <div className={hasPicture ? undefined : styles.screenOnly}>
      <h2>{t('地図')}</h2>
      {hasPicture && (
        <a href={wayPicture} className={styles.picture}>
          <ResponsiveImage
            url={wayPicture}
            alt={wayPictureAlt || t(MAP_IMAGE)}
            sizes="(min-width: 1680px) 800px, (min-width: 900px) 50vw, 100vw"
            eager
          />
          <span>{t('地図を大きく見る')}</span>
        </a>
      )}
      {mapQuery && (
        <>
          <MapApps query={mapQuery} />
          <GoogleMap query={mapQuery} name={name} />
        </>
      )}
    </div>
  )
}

const buttonClass = `${button.button} ${button.primary}`

/** Links to maps other than Google Maps. The stylesheet shows only the link that works on the device. */
function MapApps({ query }: { query: string }) {
  const apple = `https://maps.apple.com/?q=${encodeURIComponent(query)}`
  // An Android intent URL, with a fallback URL for devices without a map app.
  const fallback = `S.browser_fallback_url=${encodeURIComponent(apple)}`
  const intent = `intent:0,0?q=${encodeURIComponent(query)}#Intent;scheme=geo;${fallback};end`
  return (
    <p className={styles.apps}>
      <a href={apple} target="_blank" rel="noopener noreferrer" className={`${buttonClass} ${styles.web}`}>
        <Icon of={MapPin} size={17} />
        {t('Appleマップで開く')}
      </a>
      <a href={intent} className={`${buttonClass} ${styles.app}`}>
        <Icon of={MapPin} size={17} />
        {t('地図アプリで開く')}
      </a>
    </p>
  )
}

function GoogleMap({ query, name }: { query: string; name: string }) {
  const [isShown, setIsShown] = useState(false)
  const encodedQuery = encodeURIComponent(query)
  return (
    <>
      <div className={styles.map}>
        {isShown ? (
          <iframe
            src={`https://www.google.com/maps?q=${encodedQuery}&hl=${languageCode()}&z=16&output=embed`}
            title={t('{name}の地図', { name })}
            referrerPolicy="no-referrer"
          />
        ) : (
          <>
            <DrawnStreets />
            <div className={styles.ask}>
              <p>{t('地図を開くと、Googleマップにつながります。')}</p>
              <Button onClick={() => setIsShown(true)}>{t('地図を表示する')}</Button>
            </div>
          </>
        )}
      </div>
      <p className={styles.elsewhere}>
        <a
          href={`https://www.google.com/maps/search/?api=1&query=${encodedQuery}`}
          target="_blank"
          rel="noopener noreferrer"
        >
          {t('Googleマップを新しいタブで開く')}
        </a>
      </p>
    </>
  )
}
