import { Card } from '../content/card.tsx'
import { CardGrid } from '../content/card-grid.tsx'
import { listContentItems } from '../content/content-items.server.ts'
import { SavedNotice } from '../content/saved-notice.tsx'
import { Live } from '../live/live.tsx'
import { dbKey, readOr } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/dining-page.ts'

export async function loader({ context }: Route.LoaderArgs) {
  return { dishes: await readOr(context, [], () => listContentItems(context.get(dbKey), 'dining')) }
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: 'お料理',
    description: '土鍋の炊き込みご飯、出汁巻き玉子、おばんざい。京都の野菜と一番出汁でつくる、朝とお昼のお料理です。',
    path: '/dining',
  })
}

export default function DiningPage({ loaderData }: Route.ComponentProps) {
  return (
    <div className={page.page}>
      <Live topics={['dining', 'site']} />
      <SavedNotice />
      <PageTitle title="お料理" english="Dining" />
      <CardGrid columns="wide" empty="お料理はただいま準備しております。もうしばらくお待ちください。">
        {loaderData.dishes.map((dish, index) => (
          <Card
            key={dish.id}
            item={dish}
            sizes="(min-width: 1600px) 24vw, (min-width: 1200px) 31vw, (min-width: 650px) 47vw, 92vw"
            eager={index === 0}
          />
        ))}
      </CardGrid>
    </div>
  )
}
