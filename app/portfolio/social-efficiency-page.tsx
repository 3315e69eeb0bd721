import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { linkedCard } from '../cards/linked-card.ts'
import type { Route } from './+types/social-efficiency-page.ts'

export const handle = { cache: 'minute', translations: 'socialefficiency', inSitemap: true, surroundings: 'night' }

export async function loader({ context, params }: Route.LoaderArgs) {
  const presented = await openPageOfCards(context, 'socialefficiency')
  return { ...presented, pointedId: linkedCard(presented.items, params) }
}

export default function SocialEfficiencyPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} />
}
