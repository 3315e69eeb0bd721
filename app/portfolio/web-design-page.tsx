import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import type { Route } from './+types/web-design-page.ts'

export const handle = {
  cache: 'minute',
  translations: 'webdesignincludebackend',
  inSitemap: true,
  surroundings: 'night',
}

export function loader({ context, params }: Route.LoaderArgs) {
  return openPageOfCards(context, 'webdesignincludebackend', params, 'webdesign')
}

export default function WebDesignPage({ loaderData }: Route.ComponentProps) {
  return <Introduction {...loaderData} />
}
