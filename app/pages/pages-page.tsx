import { EyeOff, Pencil } from 'lucide'
import { Link } from 'react-router'
import { pageMeta } from '../frame/page-meta.ts'
import { Live } from '../live/live.tsx'
import { mayEditSite, refusedAdministrators } from '../permissions.ts'
import { visitorKey } from '../request.ts'
import { Refused } from '../saving/refused.tsx'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/pages-page.ts'
import { places } from './page.ts'
import { placeWords } from './page-words.ts'
import { readPages } from './pages.server.ts'
import styles from './pages-page.module.css'

export const headers = () => ({ 'cache-control': 'private, no-store' })

export async function loader({ context }: Route.LoaderArgs) {
  const visitor = context.get(visitorKey)
  if (!mayEditSite(visitor)) return { refusal: refusedAdministrators(visitor), pages: [] }
  const pages = await readPages(context)
  return {
    refusal: null,
    pages: pages.map(({ id, path, title, label, place, shown }) => ({ id, path, title: label || title, place, shown })),
  }
}

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'ページ', path: '/pages', listed: false })
}

/** Every page of the site for its owner, those that nobody else sees too, by where its link stands. */
export default function PagesPage({ loaderData: { refusal, pages } }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <Live topics={['site']} />
      <PageTitle title="ページ" english="Pages">
        <LinkButton to="/site">お店の情報</LinkButton>
      </PageTitle>
      {refusal && <Refused sentence={refusal} />}
      {places.map((place) => {
        const own = pages.filter((each) => each.place === place)
        return own.length === 0 ? null : (
          <section key={place} className={page.section}>
            <h2>{placeWords[place]}</h2>
            <ul className={styles.pages}>
              {own.map(({ id, path, title, shown }) => (
                <li key={id}>
                  <Link to={path}>{title}</Link>
                  {!shown && (
                    <span className={styles.hidden}>
                      <Icon of={EyeOff} size={15} />
                      来訪者には見えません
                    </span>
                  )}
                  <Link to={`/pages/${id}/edit`} className={styles.pencil} aria-label={`「${title}」のページを編集`}>
                    <Icon of={Pencil} size={15} />
                    編集
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}
