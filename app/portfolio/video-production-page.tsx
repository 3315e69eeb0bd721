import { readCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/video-production-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context }: Route.LoaderArgs) {
  return readCards(context, 'videoproduction')
}

const TITLE = '動画の作成と公開（動画サイトの活用）'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: TITLE,
    description: '撮影から編集、動画サイトでの公開まで。お店や地域の魅力を伝える動画づくりの実例をご紹介します。',
    path: '/videoproduction',
  })
}

export default function VideoProductionPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} title={TITLE} english="Video production" film="video" columns="video" />
}
