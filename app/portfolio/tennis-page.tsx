import { Link } from 'react-router'
import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { linkedCard } from '../cards/linked-card.ts'
import { readPages } from '../pages/pages.server.ts'
import type { Route } from './+types/tennis-page.ts'

export const handle = { cache: 'minute', translations: 'tennisrelated', inSitemap: true }

export async function loader({ context, params }: Route.LoaderArgs) {
  const presented = await openPageOfCards(context, 'tennisrelated')
  const login = (await readPages(context)).find(({ id }) => id === 'login')
  return { ...presented, login: login?.label || login?.title, pointedId: linkedCard(presented.items, params) }
}

export default function TennisPage({ loaderData }: Route.ComponentProps) {
  return (
    <Introduction {...loaderData} bright>
      <Link to="/login">{loaderData.login}</Link>
    </Introduction>
  )
}
