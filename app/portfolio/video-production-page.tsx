import { readCards } from '../content/cards.server.ts'
import { Introduction } from '../content/introduction.tsx'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/video-production-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context }: Route.LoaderArgs) {
  return readCards(context, 'videoproduction')
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: '動画の作成と公開（動画サイトの活用）',
    description: '撮影から編集、動画サイトでの公開まで。お店や地域の魅力を伝える動画づくりの実例をご紹介します。',
    path: '/videoproduction',
  })
}

export default function VideoProductionPage({ loaderData }: Route.ComponentProps) {
  return (
    <Introduction
      title="動画の作成と公開（動画サイトの活用）"
      english="Video production"
      film="video"
      items={loaderData.items}
      editing={loaderData.editing}
      columns="video"
    />
  )
}
