import { listContentItems } from '../content/content-items.server.ts'
import { Introduction } from '../content/introduction.tsx'
import { dbKey, readOr } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import type { Route } from './+types/municipal-architect-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context }: Route.LoaderArgs) {
  const items = await readOr(context, [], () => listContentItems(context.get(dbKey), 'municipalarchitect'))
  return { items }
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: '建築に関するさまざまな課題を解決するしくみづくり',
    description: '公共施設の点検、図面の管理、修繕の計画。自治体の建築の仕事を助けるしくみの実例をご紹介します。',
    path: '/municipalarchitect',
  })
}

export default function MunicipalArchitectPage({ loaderData }: Route.ComponentProps) {
  return (
    <Introduction
      title="建築に関するさまざまな課題を解決するしくみづくり"
      english="Municipal architect"
      film="architect"
      items={loaderData.items}
    />
  )
}
