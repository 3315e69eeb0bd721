import { readCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/municipal-architect-page.ts'

export const handle = { surroundings: 'night' }

export async function loader({ context }: Route.LoaderArgs) {
  return readCards(context, 'municipalarchitect')
}

const TITLE = '建築に関するさまざまな課題を解決するしくみづくり'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: TITLE,
    description: '公共施設の点検、図面の管理、修繕の計画。自治体の建築の仕事を助けるしくみの実例をご紹介します。',
    path: '/municipalarchitect',
  })
}

export default function MunicipalArchitectPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} title={TITLE} english="Municipal architect" film="architect" />
}
