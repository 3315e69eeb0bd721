import { readCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { pointedCard } from '../cards/pointed-card.ts'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/web-design-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context, params }: Route.LoaderArgs) {
  const cards = await readCards(context, 'webdesignincludebackend', 'webdesign')
  return { ...cards, pointedId: pointedCard(cards.items, params) }
}

const TITLE = 'ウェブデザインとシステム制作'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: TITLE,
    description: '小さなお店のサイトから、予約や管理のしくみまで。見た目と裏側をひとつにつくる実例をご紹介します。',
    path: '/webdesignincludebackend',
  })
}

export default function WebDesignPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} title={TITLE} english="Web design with a backend" film="web" />
}
