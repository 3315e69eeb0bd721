import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import type { Route } from './+types/municipal-architect-page.ts'

export const handle = { cache: 'minute', translations: 'municipalarchitect', inSitemap: true, surroundings: 'night' }

export function loader({ context }: Route.LoaderArgs) {
  return openPageOfCards(context, 'municipalarchitect')
}

export default function MunicipalArchitectPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} />
}
