import { readCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/vba-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context }: Route.LoaderArgs) {
  return readCards(context, 'vbacreate')
}

const TITLE = 'VBAのご紹介'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: TITLE,
    description: '請求書、シフト表、在庫、月次の報告。表計算の繰り返し作業をひと押しにする実例をご紹介します。',
    path: '/vbacreate',
  })
}

export default function VbaPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} title={TITLE} english="VBA" film="vba" />
}
