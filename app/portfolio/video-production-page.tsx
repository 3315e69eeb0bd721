import { listContentItems } from '../content/content-items.server.ts'
import { Introduction } from '../content/introduction.tsx'
import { dbKey, readOr } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import type { Route } from './+types/video-production-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context }: Route.LoaderArgs) {
  const items = await readOr(context, [], () => listContentItems(context.get(dbKey), 'videoproduction'))
  return { items }
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
      columns="video"
    />
  )
}
