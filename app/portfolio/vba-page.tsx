import { listContentItems } from '../content/content-items.server.ts'
import { Introduction } from '../content/introduction.tsx'
import { dbKey, readOr } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import type { Route } from './+types/vba-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context }: Route.LoaderArgs) {
  const items = await readOr(context, [], () => listContentItems(context.get(dbKey), 'vbacreate'))
  return { items }
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: 'VBAのご紹介',
    description: '請求書、シフト表、在庫、月次の報告。表計算の繰り返し作業をひと押しにする実例をご紹介します。',
    path: '/vbacreate',
  })
}

export default function VbaPage({ loaderData }: Route.ComponentProps) {
  return <Introduction title="VBAのご紹介" english="VBA" film="vba" items={loaderData.items} />
}
