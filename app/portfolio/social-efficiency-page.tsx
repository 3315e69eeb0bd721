import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import type { Route } from './+types/social-efficiency-page.ts'

export const handle = { cache: 'minute', translations: 'socialefficiency', inSitemap: true, surroundings: 'night' }

export function loader({ context, params }: Route.LoaderArgs) {
  return openPageOfCards(context, 'socialefficiency', params)
}

export default function SocialEfficiencyPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} />
}
