import { readCards } from '../cards/cards-of-page.server.ts'
import { orderFields, reorder } from '../cards/reorder.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays } from '../dates/month.ts'
import { formAction } from '../forms/form-action.server.ts'
import { readDaysOfPage } from '../hours/business-days.server.ts'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { useNotices } from '../notices/use-notices.ts'
import { PagePencil } from '../pages/page-head.tsx'
import { type KnownPage, openPage, readPages } from '../pages/pages.server.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { contextOf } from '../request.ts'
import { LinkButton } from '../ui/button.tsx'
import { lazyComponent } from '../ui/lazy-component.tsx'
import type { Route } from './+types/home-page.ts'
import styles from './home-page.module.css'
import { OpenNow } from './open-now.tsx'
import { SceneSlider } from './scene-slider.tsx'
import { slidesOf } from './slides.ts'
import { StorySlideshow } from './story-slideshow.tsx'

const SlidesEditor = lazyComponent(async () => (await import('./slides-editor.tsx')).default)

export const handle = { cache: 'minute', translations: 'site', inSitemap: true, surroundings: 'hero' }

// A page without notices does not load their script.
const ShopNotice = lazyComponent(async () => (await import('./shop-notice.tsx')).ShopNotice)
const WholeNotices = lazyComponent(async () => (await import('./shop-notice.tsx')).WholeNotices)

export async function loader({ context }: Route.LoaderArgs) {
  const { clock } = contextOf(context)
  const asOf = clock()
  const about = await openPage(context, 'home')
  const links = linksOf(await readPages(context))
  const { items, editing } = await readCards(context, 'home')
  const slides = slidesOf(items)
  const days = await readDaysOfPage(context, addDays(dayInJapan(asOf), -1), 15)
  return {
    about,
    links,
    ...slides,
    picture: slides.story[0]?.src,
    ...(editing.mayEdit && { items }),
    editing,
    days,
    asOf,
  }
}

function linksOf(pages: KnownPage[]) {
  const labelOf = (name: 'dining' | 'access') => {
    const page = pages.find(({ id }) => id === name)
    return page?.shown ? page.label || page.title : ''
  }
  return { dining: labelOf('dining'), access: labelOf('access') }
}

export const action = formAction({ fields: orderFields, refusal: refusalOfAdministration }, (submission) =>
  reorder(submission, 'home'),
)

export default function HomePage({ loaderData, matches }: Route.ComponentProps) {
  const { about, links, story, scenes, items, editing, days, asOf } = loaderData
  const { site } = matches[0].loaderData
  const notices = useNotices('home')
  return (
    <>
      <LiveUpdates topics={['home', 'hours', 'specialDays', 'site']} />
      {story.length > 0 && <h1 className="visually-hidden">{words(site.name)}</h1>}
      <StorySlideshow slides={story} name={site.name}>
        {notices.length > 0 && <ShopNotice notices={notices} />}
        <OpenNow days={days} asOf={asOf} />
      </StorySlideshow>
      <section className={styles.welcome}>
        {about.introduction && <h2>{words(about.introduction)}</h2>}
        <div>
          {notices.length > 0 && <WholeNotices notices={notices} />}
          {site.description && <p>{words(site.description)}</p>}
          <p className={styles.ways}>
            {links.dining && (
              <LinkButton to="/dining" primary data-warm viewTransition>
                {words(t('{page}を見る', { page: links.dining }))}
              </LinkButton>
            )}
            {links.access && (
              <LinkButton to="/access" data-warm viewTransition>
                {t('道順を見る')}
              </LinkButton>
            )}
            <PagePencil page={about} />
          </p>
        </div>
      </section>
      {scenes.length > 0 && <SceneSlider scenes={scenes} heading={about.scenes} />}
      {items && <SlidesEditor items={items} editing={editing} />}
    </>
  )
}
