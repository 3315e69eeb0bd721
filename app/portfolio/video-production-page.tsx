import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import type { Route } from './+types/video-production-page.ts'

export const handle = { cache: 'minute', translations: 'videoproduction', inSitemap: true, surroundings: 'night' }

export function loader({ context }: Route.LoaderArgs) {
  return openPageOfCards(context, 'videoproduction')
}

export default function VideoProductionPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} columns="video" />
}
