import { MapPin } from 'lucide'
import { useState } from 'react'
import { pageMeta } from '../frame/page-meta.ts'
import { Live } from '../live/live.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage } from '../pages/pages.server.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import page from '../ui/page.module.css'
import type { Route } from './+types/access-page.ts'
import styles from './access-page.module.css'

export async function loader({ context }: Route.LoaderArgs) {
  return { about: await openPage(context, 'access') }
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, loaderData?.about)
}

export default function AccessPage({ matches, loaderData }: Route.ComponentProps) {
  const { site } = matches[0].loaderData
  return (
    <div className={page.page}>
      <Live topics={['site']} />
      <PageHead page={loaderData.about} />
      <div className={styles.columns}>
        <div>
          {site.address && (
            <>
              <h2>住所</h2>
              <address className={styles.large}>
                {site.postalCode && <>〒{site.postalCode}</>}
                <br />
                {site.address}
              </address>
            </>
          )}
          {site.telephone && (
            <>
              <h2>電話</h2>
              <p className={styles.large}>
                <a href={`tel:${site.telephone}`}>{site.telephone}</a>
              </p>
            </>
          )}
          {site.directions.length > 0 && (
            <>
              <h2>道順</h2>
              <ol className={styles.directions}>
                {site.directions.map((direction) => (
                  <li key={direction}>{direction}</li>
                ))}
              </ol>
            </>
          )}
          {site.parking && (
            <>
              <h2>駐車場</h2>
              <p>{site.parking}</p>
            </>
          )}
        </div>
        {site.mapQuery && <ShopMap query={site.mapQuery} name={site.name} />}
      </div>
    </div>
  )
}

function ShopMap({ query, name }: { query: string; name: string }) {
  const [shown, setShown] = useState(false)
  const place = encodeURIComponent(query)
  return (
    <div>
      <div className={styles.map}>
        {shown ? (
          <iframe
            src={`https://www.google.com/maps?q=${place}&hl=ja&z=16&output=embed`}
            title={`${name}の地図`}
            referrerPolicy="no-referrer"
          />
        ) : (
          <div className={styles.ask}>
            <p>地図を開くと、Googleマップにつながります。</p>
            <Button onClick={() => setShown(true)}>
              <Icon of={MapPin} size={17} />
              地図を表示する
            </Button>
          </div>
        )}
      </div>
      <p>
        <a href={`https://www.google.com/maps/search/?api=1&query=${place}`} target="_blank" rel="noopener noreferrer">
          Googleマップを別の画面で開く
        </a>
      </p>
    </div>
  )
}
