import { readCards } from '../content/cards.server.ts'
import { Introduction } from '../content/introduction.tsx'
import { pointedCard } from '../content/pointed-card.ts'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/social-efficiency-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context, params }: Route.LoaderArgs) {
  const cards = await readCards(context, 'socialefficiency')
  return { ...cards, pointedId: pointedCard(cards.items, params) }
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: '社会の効率化',
    description:
      '乗り合いバス、図書館、食べものの分かち合い。町のむだを減らし、暮らしを楽にする取り組みをご紹介します。',
    path: '/socialefficiency',
  })
}

export default function SocialEfficiencyPage({ loaderData }: Route.ComponentProps) {
  return (
    <Introduction
      title="社会の効率化"
      english="Social efficiency"
      film="social"
      items={loaderData.items}
      editing={loaderData.editing}
      pointedId={loaderData.pointedId}
    />
  )
}
