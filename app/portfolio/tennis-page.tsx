import { Link } from 'react-router'
import { openPageOfCards } from '../cards/cards-of-page.server.ts'
import { Introduction } from '../cards/introduction.tsx'
import { isJapanese } from '../languages/language.ts'
import { readPages } from '../pages/pages.server.ts'
import type { Route } from './+types/tennis-page.ts'

export const handle = { cache: 'minute', translations: 'tennisrelated', inSitemap: true }

export async function loader({ context, params }: Route.LoaderArgs) {
  const presented = await openPageOfCards(context, 'tennisrelated', params)
  // The page for logging in is only in Japanese.
  const login = isJapanese() ? (await readPages(context)).find(({ id }) => id === 'login') : undefined
  return { ...presented, login: login?.label || login?.title }
}

export default function TennisPage({ loaderData }: Route.ComponentProps) {
  return (
    <Introduction {...loaderData} bright>
      {loaderData.login && <Link to="/login">{loaderData.login}</Link>}
    </Introduction>
  )
}
