import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { linkedCard } from '../cards/linked-card.ts'
import type { Route } from './+types/web-design-page.ts'

export const handle = {
  cache: 'minute',
  translations: 'webdesignincludebackend',
  inSitemap: true,
  surroundings: 'night',
}

export async function loader({ context, params }: Route.LoaderArgs) {
  const presented = await openPageOfCards(context, 'webdesignincludebackend', 'webdesign')
  return { ...presented, pointedId: linkedCard(presented.items, params) }
}

export default function WebDesignPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} />
}
