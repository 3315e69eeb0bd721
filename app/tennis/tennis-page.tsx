import { Link } from 'react-router'
import { readCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { pointedCard } from '../cards/pointed-card.ts'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/tennis-page.ts'

export async function loader({ context, params }: Route.LoaderArgs) {
  const cards = await readCards(context, 'tennisrelated')
  return { ...cards, pointedId: pointedCard(cards.items, params) }
}

const TITLE = 'テニスサークル'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: TITLE,
    description: '毎週土曜日の練習会、はじめての方の日、季節の親睦試合。店に集う仲間のテニスサークルです。',
    path: '/tennisrelated',
  })
}

export default function TennisPage({ loaderData }: Route.ComponentProps) {
  return (
    <Introduction {...loaderData} title={TITLE} english="Tennis" film="tennis" bright>
      <Link to="/login">会員ログイン</Link>
    </Introduction>
  )
}
