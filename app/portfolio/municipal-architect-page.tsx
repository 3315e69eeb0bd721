import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { pageMeta } from '../frame/page-meta.ts'
import type { Route } from './+types/municipal-architect-page.ts'

export const handle = { surroundings: 'night' }

export function loader({ context }: Route.LoaderArgs) {
  return openPageOfCards(context, 'municipalarchitect')
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, loaderData && { ...loaderData.page, picture: loaderData.picture })
}

export default function MunicipalArchitectPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} />
}
