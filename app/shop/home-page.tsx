import { Link } from 'react-router'
import { readDays } from '../business-days/business-days.server.ts'
import { addDays, dayInJapan } from '../calendar/month.ts'
import { listContentItems } from '../content/content-items.server.ts'
import { SavedNotice } from '../content/saved-notice.tsx'
import { Live } from '../live/live.tsx'
import { clockKey, dbKey, readOr } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import button from '../ui/button.module.css'
import type { Route } from './+types/home-page.ts'
import styles from './home-page.module.css'
import { OpenNow } from './open-now.tsx'
import { SceneSlider } from './scene-slider.tsx'
import { slidesOf } from './slides.ts'
import { StorySlideshow } from './story-slideshow.tsx'

export const handle = { surroundings: 'hero' }

export async function loader({ context }: Route.LoaderArgs) {
  const db = context.get(dbKey)
  const asOf = context.get(clockKey)()
  const items = await readOr(context, [], () => listContentItems(db, 'home'))
  const days = await readOr(context, [], () => readDays(db, addDays(dayInJapan(asOf), -1), 15))
  return { ...slidesOf(items), days, asOf }
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { path: '/', days: loaderData?.days })
}

export default function HomePage({ loaderData, matches }: Route.ComponentProps) {
  const { story, scenes, days, asOf } = loaderData
  const { site } = matches[0].loaderData
  return (
    <>
      <Live topics={['home', 'hours', 'specialDays', 'site']} />
      <SavedNotice />
      <h1 className="visually-hidden">{site.name}</h1>
      <StorySlideshow slides={story}>
        <OpenNow days={days} asOf={asOf} className={styles.openNow} />
      </StorySlideshow>
      <section className={styles.welcome}>
        <h2>
          朝の湯気と、
          <br />
          出汁の香りと。
        </h2>
        <div>
          {site.notice && <p className={styles.notice}>{site.notice}</p>}
          <p>{site.description}</p>
          <p className={styles.ways}>
            <Link to="/dining" className={`${button.button} ${button.primary}`} prefetch="intent" viewTransition>
              お料理を見る
            </Link>
            <Link to="/access" className={button.button} prefetch="intent" viewTransition>
              道順を見る
            </Link>
          </p>
        </div>
      </section>
      <SceneSlider scenes={scenes} />
    </>
  )
}
