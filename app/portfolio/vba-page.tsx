import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import type { Route } from './+types/vba-page.ts'

export const handle = { cache: 'minute', translations: 'vbacreate', inSitemap: true, surroundings: 'night' }

export function loader({ context }: Route.LoaderArgs) {
  return openPageOfCards(context, 'vbacreate')
}

export default function VbaPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} />
}
