import { data } from 'react-router'
import { CardArticle } from '../cards/card-article.tsx'
import { CardGrid } from '../cards/card-grid.tsx'
import { readCards } from '../cards/cards-of-page.server.ts'
import { AddCard, EditPencil } from '../cards/edit-links.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { isOwnPageId } from '../pages/own-page.ts'
import { PageHead } from '../pages/page-head.tsx'
import { openPage, previewImageOf } from '../pages/pages.server.ts'
import { textBeginning } from '../pages/text.ts'
import { TextView } from '../pages/text-view.tsx'
import page from '../ui/page.module.css'
import type { Route } from './+types/written-page.ts'
import styles from './written-page.module.css'

export const handle = { cache: 'minute', translations: 'pages', inSitemap: true, parameters: { name: 'key' } }

export async function loader({ context, params }: Route.LoaderArgs) {
  const id = `p-${params.name}`
  if (!isOwnPageId(id)) throw data(null, 404)
  const about = await openPage(context, id)
  const { items, editing } = await readCards(context, id)
  return {
    about: { ...about, description: about.description || textBeginning(about.text) },
    picture: previewImageOf(about, items),
    items,
    editing,
  }
}

export default function WrittenPage({ loaderData: { about, items, editing } }: Route.ComponentProps) {
  return (
    <div className={page.page}>
      <LiveUpdates topics={['site']} />
      <PageHead page={about}>
        <AddCard posttitle={about.title} editing={editing} />
      </PageHead>
      {about.text.length > 0 && <TextView text={about.text} />}
      {items.length > 0 && (
        <div className={styles.cards}>
          <CardGrid columns="wide" empty="">
            {items.map((item, index) => (
              <CardArticle
                key={item.id}
                item={item}
                // Only the card at position 0 loads its image eagerly. The text precedes the cards, so the positions
                // begin at 1.
                place={index + 1}
                sizes="(min-width: 1600px) 24vw, (min-width: 1200px) 31vw, (min-width: 650px) 47vw, 92vw"
                pencil={<EditPencil item={item} posttitle={about.title} editing={editing} />}
              />
            ))}
          </CardGrid>
        </div>
      )}
    </div>
  )
}
