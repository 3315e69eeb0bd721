import { readCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { pointedCard } from '../cards/pointed-card.ts'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/social-efficiency-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context, params }: Route.LoaderArgs) {
  const cards = await readCards(context, 'socialefficiency')
  return { ...cards, pointedId: pointedCard(cards.items, params) }
}

const TITLE = '社会の効率化'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: TITLE,
    description:
      '乗り合いバス、図書館、食べものの分かち合い。町のむだを減らし、暮らしを楽にする取り組みをご紹介します。',
    path: '/socialefficiency',
  })
}

export default function SocialEfficiencyPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} title={TITLE} english="Social efficiency" film="social" />
}
